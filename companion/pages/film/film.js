(function(){'use strict';
var film=document.getElementById('film');if(!film)return;
var one=function(s){return film.querySelector(s)},all=function(s){return Array.prototype.slice.call(film.querySelectorAll(s))};
var acts=all('.acts>.act'),player=one('.player');if(!acts.length||!player)return;
var range=one('input[type=range]'),out=one('output'),now=one('[data-now]'),what=one('[data-what]'),where=one('[data-where]');
var clocks=all('[data-clock]'),scores=all('[data-score]'),bars=all('[data-bar]'),held=all('[data-held]'),marker=one('[data-marker]');
var sides=all('.side'),list=one('.all'),at=acts.length-1,timer=null;
var said=function(a,n){return (a.dataset[n]||'').split('|')};
function show(n){
 at=Math.max(0,Math.min(acts.length-1,n));var a=acts[at],i;
 range.value=at;out.textContent=(at+1)+' / '+acts.length;
 where.textContent=a.querySelector('.where').textContent;
 var w=a.querySelector('.what'),q=a.querySelector('blockquote');what.textContent=w.textContent||(q?q.textContent:'');
 var c=said(a,'c'),s=said(a,'s'),p=said(a,'p').map(Number),sum=p.reduce(function(x,y){return x+y},0),x=0;
 clocks.forEach(function(e,i){e.textContent=c[i]||''});scores.forEach(function(e,i){e.textContent=s[i]||''});
 bars.forEach(function(e,i){var v=1000*(sum?p[i]/sum:1/bars.length);e.setAttribute('x',x);e.setAttribute('width',v);x+=v});
 sides.forEach(function(e){var t=/ b-\w+/.exec(' '+e.className.replace('side','').trim());
  e.classList.toggle('acts-now',!!t&&(' '+a.className+' ').indexOf(t[0].trim()+' ')>=0)});
 var seen={};held.forEach(function(e){seen[e.dataset.held]=[e.dataset.first||'nobody',e.dataset.name,false]});
 for(i=0;i<=at;i++){acts[i].querySelectorAll('[data-h]').forEach(function(h){seen[h.dataset.h]=[h.dataset.t,h.dataset.n,i===at]})}
 held.forEach(function(e){var v=seen[e.dataset.held];e.className='h-'+v[0]+(v[2]?' fresh':'');e.querySelector('b').textContent=v[1]});
 now.textContent='';var put=function(e){return now.appendChild(e.cloneNode(true))};
 if(a.dataset.b!==undefined){
  var head=a.querySelector('.battle')||one('.act[data-b="'+a.dataset.b+'"] .battle'),rolled=[];
  if(head)put(head);
  for(i=0;i<=at;i++)if(acts[i].dataset.b===a.dataset.b)Array.prototype.forEach.call(acts[i].querySelectorAll('.throw'),function(t){rolled.push([t,i===at])});
  rolled.slice(-8).forEach(function(t){if(put(t[0])&&t[1])now.lastChild.classList.add('fresh')});
 }else Array.prototype.forEach.call(a.querySelectorAll('.throw'),put);
 Array.prototype.forEach.call(a.querySelectorAll(w.textContent?'blockquote,.photo,.changes':'.photo,.changes'),put);
 if(marker){var f=+marker.dataset.from,t=+marker.dataset.to,m=f+(t-f)*(acts.length>1?at/(acts.length-1):1);
  marker.setAttribute('x1',m);marker.setAttribute('x2',m)}
}
function stop(){if(timer){clearInterval(timer);timer=null}mark()}
function mark(){one('[data-key=play] path').setAttribute('d',timer?'M7 4H11V20H7ZM14 4H18V20H14Z':'M8 4V20L20 12Z')}
function play(){if(timer){stop();return}if(at===acts.length-1)show(0);
 timer=setInterval(function(){if(at>=acts.length-1)stop();else show(at+1)},1400);mark()}
function battle(step){var here=acts[at].dataset.b,i=at+step;
 while(i>=0&&i<acts.length&&(acts[i].dataset.b===undefined||acts[i].dataset.b===here))i+=step;
 if(i<0||i>=acts.length)return;
 if(step<0)while(i>0&&acts[i-1].dataset.b===acts[i].dataset.b)i--;
 show(i)}
var does={'back':function(){show(at-1)},'on':function(){show(at+1)},'play':play,
 'battle-back':function(){battle(-1)},'battle-on':function(){battle(1)}};
all('[data-key]').forEach(function(b){b.addEventListener('click',function(){var k=b.dataset.key;if(k!=='play')stop();does[k]()})});
range.addEventListener('input',function(){stop();show(+range.value)});
document.addEventListener('keydown',function(e){
 if(e.ctrlKey||e.altKey||e.metaKey||(e.target&&/^(TEXTAREA|SELECT)$/.test(e.target.tagName)))return;
 var inside=film.contains(e.target)||e.target===document.body;if(!inside)return;
 if(e.target&&e.target.tagName==='SUMMARY'&&e.key===' ')return;
 var k={'ArrowLeft':'back','ArrowRight':'on',' ':'play','PageUp':'battle-back','PageDown':'battle-on'}[e.key];
 if(!k||(k==='play'&&e.target.tagName==='BUTTON'))return;
 e.preventDefault();if(k!=='play')stop();does[k]()});
var x0=null,y0=null,board=one('.board');
board.addEventListener('touchstart',function(e){if(e.target===range){x0=null;return}x0=e.touches[0].clientX;y0=e.touches[0].clientY},{passive:true});
board.addEventListener('touchend',function(e){if(x0===null)return;var d=e.changedTouches[0].clientX-x0,v=e.changedTouches[0].clientY-y0;
 if(Math.abs(d)>40&&Math.abs(d)>2*Math.abs(v)){stop();show(at+(d<0?1:-1))}x0=null},{passive:true});
document.documentElement.classList.add('js');player.hidden=false;list.removeAttribute('open');
var wanted=/^#act-(\d+)$/.exec(location.hash),first=wanted?acts.indexOf(document.getElementById('a'+wanted[1])):0;
show(Math.max(0,first));if(wanted)film.scrollIntoView();
})();
