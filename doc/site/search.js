// The search of the site: every word must occur in an entry, and the best twenty are shown. The data
// (search_index makes it) is a script, because a page from the disk may load scripts but no other files.
'use strict';

const find = document.getElementById('find');
const found = document.getElementById('found');
const most = 20;

// where the words stand decides: in the name, in the heading, in the text
function score([title, page, , text], words) {
    const name = title.toLowerCase(), where = page.toLowerCase(), body = text.toLowerCase();
    let sum = 0;
    for (const word of words) {
        const at = name.indexOf(word);
        const begins = at === 0 || (at > 0 && /[^a-z0-9]/.test(name[at - 1]));
        if (name === word || name === word + '()') sum += 100;
        else if (begins) sum += 20 + (10 * word.length) / name.length;
        else if (at > 0) sum += 10;
        else if (where.includes(word)) sum += 5;
        else if (body.includes(word)) sum += Math.min(4, body.split(' ' + word).length - 0.5);
        else return 0;
    }
    return sum;
}

// the text about the first word
function excerpt(text, words) {
    const low = text.toLowerCase();
    const places = words.map(word => low.indexOf(word)).filter(place => place >= 0);
    const from = Math.max(0, Math.min(...(places.length ? places : [0])) - 40);
    return (from > 0 ? '… ' : '') + text.slice(from, from + 160) + (text.length > from + 160 ? ' …' : '');
}

function show() {
    const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
    found.hidden = words.length === 0;
    if (found.hidden || typeof search_data === 'undefined') return;
    const hits = search_data.map(entry => [score(entry, words), entry]).filter(([points]) => points > 0);
    hits.sort((a, b) => b[0] - a[0]);
    found.replaceChildren(...hits.slice(0, most).map(([, [title, page, address, text]]) => {
        const link = document.createElement('a');
        const place = document.createElement('span'), some = document.createElement('p');
        link.href = address;
        link.textContent = title;
        place.textContent = page === title ? '' : page;
        some.textContent = excerpt(text, words);
        link.append(place, some);
        return link;
    }));
    if (hits.length === 0) found.textContent = 'Nothing has all of these words.';
    if (hits.length > most) found.append(`… and ${hits.length - most} more: add a word.`);
}

function load() {
    if (document.getElementById('search_data')) return;
    const script = document.createElement('script');
    script.id = 'search_data';
    script.src = 'search_data.js';
    script.onload = show;
    document.head.append(script);
}

// the links in order, with the field before the first
function move(by) {
    const places = [find, ...found.querySelectorAll('a')];
    const next = places[places.indexOf(document.activeElement) + by];
    if (next) next.focus();
}

find.addEventListener('focus', load);
find.addEventListener('input', () => { load(); show(); });
document.addEventListener('keydown', event => {
    const inside = event.target === find || found.contains(event.target);
    if (event.key === '/' && event.target.tagName !== 'INPUT') find.focus();
    else if (event.key === 'Escape' && inside) { find.value = ''; show(); find.blur(); }
    else if (event.key === 'Enter' && event.target === find) found.querySelector('a')?.click();
    else if (event.key === 'ArrowDown' && inside) move(1);
    else if (event.key === 'ArrowUp' && inside) move(-1);
    else return;
    event.preventDefault();
});
// an entry of the same page does not load it again
found.addEventListener('click', () => { found.hidden = true; });
// the address may ask: index.html?find=friction
const asked = new URLSearchParams(location.search).get('find');
if (asked) { find.value = asked; load(); }
