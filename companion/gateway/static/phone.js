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

  var offset = null;
  function setNow(boxMs) {
    var found = boxMs - performance.now();
    // A late message reads too early, so the greatest is the truest; one far off is another count of time.
    if (offset === null || Math.abs(found - offset) > 1000) offset = found;
    else offset = Math.max(offset, found);
  }
  function count() {
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
  function show(html) {
    var made = document.createElement('template');
    made.innerHTML = html;
    mergeChildren(page, made.content);
    count();
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
    });
    stream.addEventListener('gone', function () { say('gone'); });
    stream.addEventListener('elsewhere', function () { isElsewhere = true; stream.close(); say('elsewhere'); });
    stream.onerror = function () { if (!isElsewhere) say('old'); };
  }
  // A press over a dead link would come late or never: the button says so instead.
  page.addEventListener('submit', function (event) {
    if (line.className === 'live' && Date.now() - heard < (page.querySelector('.acts') ? 5000 : silent)) return;
    event.preventDefault();
    say('old');
  });
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
  count();
  listen();
})();
