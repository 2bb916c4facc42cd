// What is private between the box and this phone: ChaCha20-Poly1305 as in RFC 8439, and the key that came behind the
// address of the seat's own code. A browser never sends that part, and offers no such cipher on plain http. ES2017.
(function () {
  'use strict';

  // The cipher. Words are unsigned and little-endian.
  function word(bytes, at) {
    return (bytes[at] | bytes[at + 1] << 8 | bytes[at + 2] << 16 | bytes[at + 3] << 24) >>> 0;
  }
  function quarter(s, a, b, c, d) {
    var x;
    s[a] = s[a] + s[b] | 0; x = s[d] ^ s[a]; s[d] = x << 16 | x >>> 16;
    s[c] = s[c] + s[d] | 0; x = s[b] ^ s[c]; s[b] = x << 12 | x >>> 20;
    s[a] = s[a] + s[b] | 0; x = s[d] ^ s[a]; s[d] = x << 8 | x >>> 24;
    s[c] = s[c] + s[d] | 0; x = s[b] ^ s[c]; s[b] = x << 7 | x >>> 25;
  }
  function block(key, count, nonce) {
    var start = new Int32Array(16), s, i, out = new Uint8Array(64);
    start.set([0x61707865, 0x3320646e, 0x79622d32, 0x6b206574]);
    for (i = 0; i < 8; i++) start[4 + i] = word(key, 4 * i);
    start[12] = count;
    for (i = 0; i < 3; i++) start[13 + i] = word(nonce, 4 * i);
    s = start.slice();
    for (i = 0; i < 10; i++) {
      quarter(s, 0, 4, 8, 12); quarter(s, 1, 5, 9, 13); quarter(s, 2, 6, 10, 14); quarter(s, 3, 7, 11, 15);
      quarter(s, 0, 5, 10, 15); quarter(s, 1, 6, 11, 12); quarter(s, 2, 7, 8, 13); quarter(s, 3, 4, 9, 14);
    }
    for (i = 0; i < 16; i++) {
      var sum = s[i] + start[i] | 0;
      out[4 * i] = sum; out[4 * i + 1] = sum >>> 8; out[4 * i + 2] = sum >>> 16; out[4 * i + 3] = sum >>> 24;
    }
    return out;
  }
  function chacha20(key, count, nonce, data) {
    var out = new Uint8Array(data.length), at, i, stream;
    for (at = 0; at < data.length; at += 64) {
      stream = block(key, count++, nonce);
      for (i = 0; i < 64 && at + i < data.length; i++) out[at + i] = data[at + i] ^ stream[i];
    }
    return out;
  }

  // The code over it: numbers of 17 bytes below 2^130 - 5; no product here is above 2^31.
  function add(to, from) {
    for (var i = 0, carry = 0; i < 17; i++) { carry += to[i] + from[i]; to[i] = carry & 255; carry >>>= 8; }
  }
  function carried(h, carry) {
    for (var i = 0; i < 16; i++) { carry += h[i]; h[i] = carry & 255; carry >>>= 8; }
    return carry + h[16];
  }
  function poly1305(key, data) {
    var r = new Uint32Array(17), h = new Uint32Array(17), c, x, g, i, j, at, last;
    for (i = 0; i < 16; i++) r[i] = key[i];
    for (i = 3; i < 16; i += 4) r[i] &= 15;
    for (i = 4; i < 16; i += 4) r[i] &= 252;
    for (at = 0; at < data.length; at += 16) {
      c = new Uint32Array(17);
      for (i = 0; i < 16 && at + i < data.length; i++) c[i] = data[at + i];
      c[i] = 1;
      add(h, c);
      x = new Uint32Array(17);
      for (i = 0; i < 17; i++) for (j = 0; j < 17; j++) x[i] += h[j] * (j <= i ? r[i - j] : 320 * r[i + 17 - j]);
      h = x;
      last = carried(h, 0);
      h[16] = last & 3;
      h[16] = carried(h, 5 * (last >>> 2));
    }
    g = h.slice();
    add(g, [5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 252]);
    if (!(g[16] & 128)) h = g;
    c = new Uint32Array(17);
    for (i = 0; i < 16; i++) c[i] = key[16 + i];
    add(h, c);
    return Uint8Array.from(h.slice(0, 16));
  }
  function tagOf(key, nonce, sealed, more) {
    var padded = function (n) { return n + 15 & ~15; };
    var at = padded(more.length), all = new Uint8Array(at + padded(sealed.length) + 16), view = new DataView(all.buffer);
    all.set(more);
    all.set(sealed, at);
    view.setUint32(all.length - 16, more.length, true);
    view.setUint32(all.length - 8, sealed.length, true);
    return poly1305(block(key, 0, nonce), all);
  }
  var NONE = new Uint8Array(0);
  function seal(key, nonce, plain, more) {
    var sealed = chacha20(key, 1, nonce, plain), out = new Uint8Array(sealed.length + 16);
    out.set(sealed);
    out.set(tagOf(key, nonce, sealed, more || NONE), sealed.length);
    return out;
  }
  function open(key, nonce, data, more) {
    if (data.length < 16) return null;
    var sealed = data.subarray(0, data.length - 16), tag = tagOf(key, nonce, sealed, more || NONE), differs = 0;
    for (var i = 0; i < 16; i++) differs |= tag[i] ^ data[sealed.length + i];
    return differs ? null : chacha20(key, 1, nonce, sealed);
  }

  // Texts
  function bytesOf(text) { return new TextEncoder().encode(text); }
  function from64(text) {
    var raw = atob(text.replace(/-/g, '+').replace(/_/g, '/')), out = new Uint8Array(raw.length);
    for (var i = 0; i < raw.length; i++) out[i] = raw.charCodeAt(i);
    return out;
  }
  function to64(bytes) {
    for (var i = 0, raw = ''; i < bytes.length; i++) raw += String.fromCharCode(bytes[i]);
    return btoa(raw);
  }
  function count(bytes) {
    var view = new DataView(bytes.buffer, bytes.byteOffset);
    return view.getUint32(4) * 4294967296 + view.getUint32(8);
  }

  // The seat: its key, the newest count each way. A count is kept before it is used, so that none is used twice.
  var KEPT = 'seat', FRESH = 'seat.fresh', BLOCK = 512, mine = null;
  function read(store, name) {
    try { var found = JSON.parse(store.getItem(name)); return found && typeof found.key === 'string' ? found : null; }
    catch (_none) { return null; }
  }
  function keep(seat) {
    try { localStorage.setItem(KEPT, JSON.stringify(seat)); } catch (_full) { return false; }
    return true;
  }
  function keyOf(seat) {
    try { var key = from64(seat.key); return key.length === 32 ? key : null; } catch (_bad) { return null; }
  }
  function opened(seat, text) {
    var key = seat && keyOf(seat), data;
    if (!key) return null;
    try { data = from64(text); } catch (_bad) { return null; }
    if (data.length < 32 || data[0] !== 0 || count(data) < seat.down) return null;
    var framed = open(key, data.subarray(0, 12), data.subarray(12));
    if (!framed) return null;
    var length = new DataView(framed.buffer).getUint32(0);
    var told = JSON.parse(new TextDecoder().decode(framed.subarray(4, 4 + length)));
    seat.down = count(data);
    seat.up = Math.max(seat.up, told.taken);
    return told;
  }
  var nonceStart = crypto.getRandomValues(new Uint8Array(3));

  window.tableSeal = {
    seal: seal, open: open, chacha20: chacha20, poly1305: poly1305,
    // Return what a sealed page says, or null: no key, another's, altered, or older than one that was seen.
    page: function (text) {
      var fresh = read(sessionStorage, FRESH), kept = read(localStorage, KEPT), told;
      if (fresh && (told = opened(fresh, text))) {
        sessionStorage.removeItem(FRESH);
        mine = fresh;
      } else if (kept && (told = opened(kept, text))) {
        mine = kept;
      } else if (mine && !kept) {  // a browser that keeps nothing
        told = opened(mine, text);
      }
      if (told) keep(mine);
      return told || null;
    },
    // Return an act, sealed with a count that was never used; null where there is no key.
    act: function (act, answers, at) {
      var all = this.bytes(act, answers, at, NONE);
      return all && to64(all);
    },
    // Return an act and what stands behind it, such as a photo, as sealed bytes.
    bytes: function (act, answers, at, more) {
      var seat = read(localStorage, KEPT) || mine, key = seat && keyOf(seat);
      if (!key) return null;
      seat.up += 1;
      mine = seat;
      keep(seat);
      var told = bytesOf(JSON.stringify({act: act, at: at || '', answers: answers}));
      var framed = new Uint8Array(Math.ceil((told.length + more.length + 4) / BLOCK) * BLOCK);
      new DataView(framed.buffer).setUint32(0, told.length);
      framed.set(told, 4);
      framed.set(more, 4 + told.length);
      var nonce = new Uint8Array(12), view = new DataView(nonce.buffer);
      nonce.set(nonceStart, 1);
      nonce[0] = 1;
      view.setUint32(4, Math.floor(seat.up / 4294967296));
      view.setUint32(8, seat.up % 4294967296);
      var sealed = seal(key, nonce, framed), all = new Uint8Array(12 + sealed.length);
      all.set(nonce);
      all.set(sealed, 12);
      return all;
    }
  };

  // At a seat's own code: take the key, and have it gone from the address at once.
  if (location.pathname.slice(0, 3) === '/s/' && location.hash.length > 1) {
    try {
      sessionStorage.setItem(FRESH, JSON.stringify({key: location.hash.slice(1), up: 0, down: 0}));
    } catch (_full) { /* without storage the seat says so */ }
    history.replaceState(null, '', location.pathname);
  }
})();
