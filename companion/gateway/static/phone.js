// The page's one script: hears the stream, changes what differs, counts the clocks. ES2017, nothing from elsewhere.
(function () {
  'use strict';
  var page = document.getElementById('page'), line = document.getElementById('line');
  if (!page || !line || !window.EventSource) return;

  // The rule of the box: time left is rounded up, so that 00:00 means none; time used is rounded down.
  function two(n) { return (n < 10 ? '0' : '') + n; }
  function clockText(left, isUp, tenthsBelow) {
    var s;
    if (isUp) {
      s = Math.floor(Math.max(0, left) / 1000);
      return s >= 3600
        ? Math.floor(s / 3600) + ':' + two(Math.floor(s / 60) % 60) + ':' + two(s % 60)
        : two(Math.floor(s / 60)) + ':' + two(s % 60);
    }
    if (tenthsBelow && left < tenthsBelow && left < 60000) {
      s = Math.ceil(Math.max(0, left) / 100);
      return Math.floor(s / 600) + ':' + two(Math.floor(s / 10) % 60) + '.' + (s % 10);
    }
    s = Math.ceil(left / 1000);
    if (s < 0) s = 0;
    return two(Math.floor(s / 60)) + ':' + two(s % 60);
  }
  window.clockText = clockText;

  var offset = null, held = null;
  function setNow(boxMs) {
    var found = boxMs - performance.now();
    // A late message reads too early, so the greatest is the truest; one far off is another count of time.
    if (offset === null || Math.abs(found - offset) > 1000) offset = found;
    else offset = Math.max(offset, found);
  }
  function count() {
    if (held && !page.contains(held)) look(null);
    if (offset === null) return;
    var now = performance.now() + offset, all = page.querySelectorAll('.digits[data-at-ms]');
    for (var i = 0; i < all.length; i++) {
      var one = all[i].dataset, left = +one.leftMs, gone = one.run ? Math.round(now - +one.atMs) : 0;
      var text = clockText(one.up ? left + gone : left - gone, !!one.up, +(one.tenthsMs || 0));
      if (all[i].textContent !== text) all[i].textContent = text;
    }
  }
  setInterval(count, 100);

  // What is the same stays: focus, scroll and what a reader is reading.
  function source(node) { return node.nodeType === 1 ? node.outerHTML : node.nodeValue; }
  function keyOf(node) { return node.nodeType === 1 ? node.getAttribute('data-k') : null; }
  function isAlike(one, other) { return one.nodeName === other.nodeName && keyOf(one) === keyOf(other); }
  function remember(node) {
    node.came = source(node);
    for (var child = node.firstChild; child; child = child.nextSibling) remember(child);
  }
  function merge(old, fresh) {
    if (old.came === source(fresh)) return;
    if (old.nodeType !== 1) { old.nodeValue = fresh.nodeValue; old.came = fresh.nodeValue; return; }
    var came = fresh.outerHTML, i, name;
    for (i = old.attributes.length - 1; i >= 0; i--) {
      name = old.attributes[i].name;
      if (!fresh.hasAttribute(name)) old.removeAttribute(name);
    }
    for (i = 0; i < fresh.attributes.length; i++) {
      name = fresh.attributes[i].name;
      if (old.getAttribute(name) !== fresh.getAttribute(name)) old.setAttribute(name, fresh.getAttribute(name));
    }
    mergeChildren(old, fresh);
    old.came = came;
  }
  function mergeChildren(old, fresh) {
    var keyed = {}, at = old.firstChild, wanted = fresh.firstChild, next, node;
    for (node = old.firstChild; node; node = node.nextSibling) if (keyOf(node)) keyed[keyOf(node)] = node;
    while (wanted) {
      next = wanted.nextSibling;
      node = keyOf(wanted) ? keyed[keyOf(wanted)] : at && !keyOf(at) ? at : null;
      if (node && isAlike(node, wanted)) {
        if (node === at) at = at.nextSibling;
        else old.insertBefore(node, at);
        merge(node, wanted);
      } else {
        remember(wanted);
        old.insertBefore(wanted, at);
      }
      wanted = next;
    }
    while (at) { next = at.nextSibling; old.removeChild(at); at = next; }
  }
  // A private page comes sealed; without its key the hint that stands in it is shown.
  function unsealed(html) {
    var found = /^<main [^>]*data-sealed="([A-Za-z0-9+/=]+)"/.exec(html), told = found && window.tableSeal && tableSeal.page(found[1]);
    isSealed = !!found;
    return told ? told.html : html;
  }
  var isSealed = false;
  function show(html) {
    var made = document.createElement('template');
    html = unsealed(html);
    made.innerHTML = html;
    mergeChildren(page, made.content);
    var main = page.querySelector('.acts button.main'), does = main ? main.value : '';
    if (does !== did) { shownAt = did ? Date.now() : 0; did = does; }
    var isTurn = !!main && !main.disabled;
    if (isTurn && wasTurn === false && Date.now() - tappedAt > 700) {
      if (mayShake && navigator.vibrate) navigator.vibrate(120);
      beep();
    }
    wasTurn = isTurn;
    count();
  }
  // A main button that does something else now rests a moment: a second tap was meant for what it did before.
  var did = '', shownAt = 0, REST_MS = 250;
  // A phone whose turn has come without its doing says so to the hand that holds it.
  var wasTurn = null, tappedAt = 0, mayShake = false;
  ['touchend', 'click'].forEach(function (name) {
    document.addEventListener(name, function (event) { mayShake = mayShake || event.isTrusted; });  // no browser lets it before
  });

  // And to the ear, where that was asked for: no browser sounds before a tap.
  var sound = document.getElementById('sound'), audio = null, Audio = window.AudioContext || window.webkitAudioContext;
  if (sound && Audio) {
    sound.hidden = false;
    sound.addEventListener('click', function () {
      var isOn = sound.getAttribute('aria-pressed') !== 'true';
      sound.setAttribute('aria-pressed', isOn);
      if (!isOn) return;
      audio = audio || new Audio();
      audio.resume();
      beep();
    });
  }
  function beep() {
    if (!audio || sound.getAttribute('aria-pressed') !== 'true') return;
    var tone = audio.createOscillator(), gain = audio.createGain();
    tone.frequency.value = 880;
    gain.gain.value = 0.2;
    tone.connect(gain);
    gain.connect(audio.destination);
    tone.start();
    tone.stop(audio.currentTime + 0.15);
  }

  var heard = Date.now();
  function say(state) {
    var words = line.dataset, when = new Date(heard);
    var text = state === 'old' ? words.silent + ' ' + two(when.getHours()) + ':' + two(when.getMinutes()) : words[state];
    if (line.className !== state) { line.className = state; document.body.dataset.state = state; }
    if (line.textContent !== text) line.textContent = text;
  }
  var stream = null, isElsewhere = false;
  function listen() {
    if (stream) stream.close();
    isElsewhere = false;
    stream = new EventSource(page.dataset.live);
    stream.addEventListener('frame', function (event) {
      var cut = event.data.indexOf('\n');
      heard = Date.now();
      setNow(+event.data.slice(0, cut));
      show(event.data.slice(cut + 1));
      say('live');
    });
    stream.addEventListener('beat', function (event) {
      heard = Date.now();
      if (event.data) setNow(+event.data);
      say('live');
      pulse();
    });
    stream.addEventListener('gone', function () { say('gone'); });
    stream.addEventListener('elsewhere', function () { isElsewhere = true; stream.close(); say('elsewhere'); });
    stream.onerror = function () { if (!isElsewhere) say('old'); };
  }
  // How long the box takes to answer, as the middle of the last answers.
  var pulses = [];
  function pulse() {
    if (!page.querySelector('.acts')) return;
    var start = performance.now();
    fetch('/pulse', {credentials: 'same-origin'}).then(function () {
      pulses.push(performance.now() - start);
      if (pulses.length > 20) pulses.shift();
    }, function () {});
  }
  // What is secret is read only while a finger holds the key for it, 20 s at most. With a keyboard it is turned on and off.
  var hides = null;
  function look(key) {
    clearTimeout(hides);
    held = key;
    document.body.classList.toggle('looking', !!key);
    if (key) hides = setTimeout(look, 20000, null);
  }
  function keyAt(event) { return event.target.closest && event.target.closest('.hold'); }
  page.addEventListener('touchstart', function (event) {
    if (keyAt(event)) { event.preventDefault(); look(keyAt(event)); }
  }, {passive: false});
  page.addEventListener('mousedown', function (event) { if (keyAt(event)) look(keyAt(event)); });
  page.addEventListener('contextmenu', function (event) { if (keyAt(event)) event.preventDefault(); });
  ['touchend', 'touchcancel'].forEach(function (name) {
    document.addEventListener(name, function (event) { if (event.target === held || held && held.contains(event.target)) look(null); });
  });
  document.addEventListener('mouseup', function () { look(null); });
  ['blur', 'pagehide'].forEach(function (name) { window.addEventListener(name, function () { look(null); }); });
  document.addEventListener('visibilitychange', function () { look(null); });
  function isSlow() {
    var sorted = pulses.slice().sort(function (a, b) { return a - b; });
    return sorted.length > 4 && sorted[sorted.length >> 1] > 150;
  }
  // A press over a dead link would come late or never: the button says so instead.
  function isDead() {
    return line.className !== 'live' || Date.now() - heard >= (page.querySelector('.acts') ? 5000 : silent);
  }
  var pressed = null, isAsking = false;
  page.addEventListener('click', function (event) {
    var button = event.target.closest && event.target.closest('button');
    if (button && button.classList.contains('hold')) { if (!event.detail) look(held ? null : button); return; }
    if (button) { pressed = button; tappedAt = Date.now(); }
    if (button && !button.disabled && /^photo[.]/.test(button.value) && isSealed) { event.preventDefault(); takePhoto(button.value); }
  });
  // The phone's own camera, then a picture no larger than the box needs, sealed like everything else.
  function takePhoto(act) {
    var input = document.createElement('input');
    input.type = 'file'; input.accept = 'image/*'; input.setAttribute('capture', 'environment'); input.hidden = true;
    input.addEventListener('change', function () {
      if (input.files[0]) sendPhoto(input.files[0], act);
      input.remove();
    });
    document.body.appendChild(input);
    input.click();
  }
  function shrunk(file) {
    if (!window.createImageBitmap) return Promise.resolve(file);
    return createImageBitmap(file).then(function (image) {
      var part = Math.min(1, 2048 / Math.max(image.width, image.height)), canvas = document.createElement('canvas');
      canvas.width = Math.round(image.width * part);
      canvas.height = Math.round(image.height * part);
      canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
      return new Promise(function (done) { canvas.toBlob(function (blob) { done(blob || file); }, 'image/jpeg', 0.88); });
    }, function () { return file; });  // what this phone cannot decode the box may
  }
  function bytesOf(blob) {
    return new Promise(function (done, failed) {
      var reader = new FileReader();
      reader.onload = function () { done(new Uint8Array(reader.result)); };
      reader.onerror = failed;
      reader.readAsArrayBuffer(blob);
    });
  }
  function sendPhoto(file, act) {
    var at = page.querySelector('input[name="page"]');
    tell(line.dataset.sending);
    return shrunk(file).then(bytesOf).then(function (bytes) {
      if (bytes.length > 6000000) { tell(line.dataset.large); return null; }
      var box = tableSeal.bytes(act, {}, at ? at.value : '', bytes);
      if (!box) { tell(line.dataset.unsealed); return null; }
      return fetch('/photo', {method: 'POST', credentials: 'same-origin', headers: {'content-type': 'application/octet-stream'}, body: box});
    }).then(function (told) {
      if (told) tell(told.status === 204 ? '' : told.status === 503 || told.status === 429 ? line.dataset.untaken : line.dataset.refused);
    }, function () { say('old'); tell(''); });
  }
  window.tablePhoto = sendPhoto;
  page.addEventListener('submit', function (event) {
    var form = event.target, isPress = pressed && /^press[.]/.test(pressed.value);
    if (isDead()) { event.preventDefault(); say('old'); return; }
    if (pressed && pressed.value === did && Date.now() - shownAt < REST_MS) { event.preventDefault(); return; }
    if (isPress && isSlow()) { event.preventDefault(); tell(line.dataset.slow); return; }
    if (!isSealed || !window.tableSeal) return;
    event.preventDefault();
    if (isAsking) {
      // Whoever types fast is ahead of the answer: keys of a pad or a list wait their turn, an act of the foot is done once.
      if (pressed && queued.length < 8 && !pressed.closest('.acts, .question')) queued.push(pressed);
    } else sealed(form);
  });
  var queued = [];
  function next() {
    isAsking = false;
    var button = queued.shift();
    if (!button) return;
    if (page.contains(button) && !button.disabled && !isDead()) { pressed = button; sealed(button.form); } else next();
  }
  function sealed(form) {
    var answers = {}, by = pressed && form.contains(pressed) ? pressed : null, act = by && by.name === 'act' ? by.value : '';
    Array.prototype.forEach.call(form.elements, function (field) {
      if (field.name.slice(0, 7) !== 'answer.' || (field.type === 'radio' || field.type === 'checkbox') && !field.checked || field.type === 'submit' && field !== by) return;
      var name = field.name.slice(7);
      answers[name] = name in answers ? answers[name] + ',' + field.value : field.value;
    });
    if (!act) { act = form.querySelector('[name="act"]:not([disabled])'); act = act ? act.value : ''; }
    var box = act && tableSeal.act(act, answers, form.elements.page ? form.elements.page.value : '');
    if (!box) { tell(line.dataset.unsealed); return; }
    isAsking = true;
    send(box, 3);
  }
  // The same act with the same count: however often it is sent, it is taken once.
  function send(box, tries) {
    var late = setTimeout(function () { tell(line.dataset.untaken); }, 1000);
    function again() {
      clearTimeout(late);
      if (tries > 1) { tell(line.dataset.untaken); setTimeout(function () { send(box, tries - 1); }, 700); }
      else { queued = []; next(); say('old'); }
    }
    fetch('/sealed', {method: 'POST', credentials: 'same-origin', headers: {'content-type': 'text/plain'}, body: box}).then(function (told) {
      if (told.status === 503 || told.status === 429) { again(); return; }  // too fast: later it is taken
      clearTimeout(late);
      tell(told.status === 204 ? '' : line.dataset.refused);
      next();
    }, again);
  }
  function tell(text) {
    var told = document.getElementById('told');
    if (told.textContent !== text) told.textContent = text;
  }
  var silent = +page.dataset.silentMs || 25000, tried = 0;
  setInterval(function () {
    var isSilent = Date.now() - heard > silent;
    if (isElsewhere || !(isSilent || stream.readyState === 2)) return;
    if (line.className !== 'gone') say('old');
    if (Date.now() - tried < (isSilent ? 8000 : 1500)) return;
    tried = Date.now();
    listen();
  }, 500);
  function woken() {
    if (document.visibilityState === 'visible' && (isElsewhere || Date.now() - heard > 12000)) listen();
  }
  document.addEventListener('visibilitychange', woken);
  window.addEventListener('pageshow', function (event) { if (event.persisted) listen(); });

  if (page.dataset.boxMs) setNow(+page.dataset.boxMs);
  for (var child = page.firstChild; child; child = child.nextSibling) remember(child);
  if (page.firstElementChild && page.firstElementChild.hasAttribute('data-sealed')) show(page.innerHTML);
  count();
  listen();
})();
