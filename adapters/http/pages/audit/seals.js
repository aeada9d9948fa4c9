/* The heads of the log, and the button that has this browser check them. */

import { ask } from './api.js'
import { begin, empty, fieldsOf, fill, firstTime, grouped, h, idOf, linkTo, say, setFields, timeOf } from './dom.js'
import { forgetHead, isPinnable, pin, pinned, remembered } from './trust.js'
import { fingerprint } from './verify.js'
import { verifyAll } from './verifying.js'

const PAGE = 20

export const showSeals = async (section, params, signal) => {
  firstTime(section, prepare)
  setFields(section.querySelector('form'), { pinned: pinned() })
  const body = section.querySelector('.body')
  begin(body, 'Reading the heads')
  const { heads, keys, next } = await ask('/v1/audit/seals', { before: params.before, limit: PAGE }, signal)
  section.querySelector('#verify').disabled = heads.length === 0 && !params.before
  if (heads.length === 0) {
    fill(body, empty('Nothing is sealed yet', 'The first head is signed within a minute after the first event.'))
    return
  }
  fill(
    body,
    h('p', { class: 'hint', id: 'known' }, known()),
    await keyTable(section, keys),
    headTable(heads),
    pager(params, next),
  )
}

const prepare = (section) => {
  const button = section.querySelector('#verify')
  button.addEventListener('click', async () => {
    button.disabled = true
    await run(section.querySelector('#verdict'))
    button.disabled = false
  })
  section.querySelector('form').addEventListener('submit', (event) => {
    event.preventDefault()
    pinTo(section, fieldsOf(event.target).pinned ?? '')
  })
}

const pinTo = (section, text) => {
  const isGood = text === '' || isPinnable(text)
  if (isGood) pin(text)
  setFields(section.querySelector('form'), { pinned: text })
  const words = text
    ? 'Pinned. Only heads by this key, or by one that it vouched for, are accepted.'
    : 'No key is pinned.'
  say(isGood ? words : NO_KEY)
  fill(section.querySelector('#verdict'), h('p', { class: isGood ? 'done' : 'problem' }, isGood ? words : NO_KEY))
}
const NO_KEY = 'This is neither a public key in base64 nor a fingerprint of 32 hexadecimal digits. Nothing was changed.'

/** Shows each step as it is done, and the verdict above them. */
const run = async (place) => {
  const steps = h('ol', { class: 'checks' })
  const banner = h('p', { class: 'verdict' }, 'Checking …')
  fill(place, banner, steps)
  const verdict = await verifyAll((step) => steps.append(shown(step)))
  banner.className = `verdict ${verdict}`
  banner.textContent = VERDICTS[verdict]
  fill(document.getElementById('known') ?? h('p'), known())
  if (verdict === 'bad' && remembered()) place.append(forgetting(place))
}

const VERDICTS = {
  good: 'Verified in this browser.',
  bad: 'Not verified. Do not rely on what is shown here until you know why.',
  open: 'Not everything could be checked in this browser.',
}
const SIGNS = { good: '✓', bad: '✗', open: '–' }

const shown = ({ state, title, text }) =>
  h(
    'li',
    { class: state },
    h('span', { class: 'sign', 'aria-hidden': 'true' }, SIGNS[state]),
    h('div', {}, h('b', {}, title), h('p', {}, text)),
  )

/** A button for whoever knows why the log is another one, because it was set up anew: the checks begin again. */
const forgetting = (place) =>
  h(
    'p',
    { class: 'buttons' },
    h(
      'button',
      {
        type: 'button',
        class: 'plain',
        click: () => {
          forgetHead()
          fill(
            place,
            h('p', { class: 'hint' }, 'What this browser remembered is forgotten. The next check begins anew.'),
          )
        },
      },
      'Forget the head that this browser remembers',
    ),
  )

const known = () => {
  const head = remembered()
  return head
    ? ['This browser verified the log up to ', grouped(head.size), ' events, sealed ', timeOf(head.sealedAt), ' UTC.']
    : 'This browser has not verified this log before.'
}

const keyTable = async (section, keys) => {
  const prints = await Promise.all(keys.map(({ publicKey }) => fingerprint(publicKey).catch(() => 'not a key')))
  const button = (key) => h('button', { type: 'button', class: 'plain', click: () => pinTo(section, key) }, 'Pin')
  return table(
    'Keys',
    ['Fingerprint', 'Public key', 'Since (UTC)', 'Pin'],
    keys.map(({ publicKey, at }, n) => [
      h('code', {}, prints[n]),
      idOf(publicKey),
      timeOf(at),
      isPinnable(publicKey) && button(publicKey),
    ]),
    'keys-table',
  )
}

const headTable = (heads) =>
  table(
    'Heads, the newest first',
    ['Events', 'Sealed (UTC)', 'Root', 'Key'],
    heads.map(({ size, sealedAt, root, keyId }) => [grouped(size), timeOf(sealedAt), idOf(root), idOf(keyId)]),
    'heads',
  )

const table = (title, names, rows, kind = '') => [
  h('h2', {}, title),
  h(
    'table',
    { class: `ledger ${kind}` },
    h('caption', { class: 'unseen' }, title),
    h(
      'thead',
      {},
      h(
        'tr',
        {},
        names.map((name) => h('th', { scope: 'col' }, name)),
      ),
    ),
    h(
      'tbody',
      {},
      rows.map((cells) =>
        h(
          'tr',
          {},
          cells.map((cell) => h('td', {}, cell)),
        ),
      ),
    ),
  ),
]

const pager = ({ before }, next) =>
  h(
    'nav',
    { class: 'pager', 'aria-label': 'Pages' },
    before && h('a', { class: 'button plain', href: '#/seals' }, 'Newest'),
    next && h('a', { class: 'button plain', href: linkTo('seals', { before: next }) }, 'Older'),
  )
