/* The auditor's page: lets somebody in with a key, and shows the view that the address names. */

import { ask, Failed, forgetKey, hasKey, useKey } from './api.js'
import { showBooks } from './books.js'
import { failed, fill, say } from './dom.js'
import { showExports } from './exports.js'
import { showLife } from './life.js'
import { showSeals } from './seals.js'
import { showTimeline } from './timeline.js'

const views = {
  timeline: showTimeline,
  transaction: showLife,
  books: showBooks,
  seals: showSeals,
  exports: showExports,
}
/** The views that a key may see that is limited to stores. */
const OF_STORES = ['transaction']

const at = (id) => document.getElementById(id)
const form = at('enter').querySelector('form')

/** What the service says about the key, once it was let in: its account, and the stores that it is limited to. */
let auditor
/** Ends what the view before is still waiting for. */
let leaving = new AbortController()

form.addEventListener('submit', async (event) => {
  event.preventDefault()
  const button = form.querySelector('button')
  button.disabled = true
  at('refused').hidden = true
  useKey(at('key').value.trim(), at('keep').checked)
  await enter()
  button.disabled = false
})
at('leave').addEventListener('click', () => leave())
addEventListener('hashchange', () => route(true))

async function enter() {
  try {
    auditor = await ask('/v1/audit')
  } catch (error) {
    leave(wordsOf(error), error.status === undefined)
    return
  }
  at('key').value = ''
  at('whose').textContent = auditor.account_id
  document.body.classList.add('in')
  document.body.classList.toggle('limited', auditor.stores !== null)
  for (const link of document.querySelectorAll('#views a'))
    link.parentElement.hidden = auditor.stores !== null && !OF_STORES.includes(link.hash.slice(2))
  route(true)
}

const SAID = {
  'api-key-not-found': 'This is not a key of this service. Keys begin with sk_live_ or sa_.',
  'invalid-api-key': 'This key is not valid, or was revoked.',
  svc_forbidden: 'This key may not audit. Ask the owner of the account for one with the role auditor.',
  svc_sandbox_key_rejected: 'A sandbox key has no ledger to audit. Use a key of the account itself.',
  svc_publishable_key: 'A publishable key may not audit. Use a key of the account itself.',
}

const wordsOf = (error) => {
  if (error instanceof Failed) return SAID[error.code] ?? error.message
  console.error(error)
  return 'Something went wrong in this page.'
}

/**
 * Shows the form for the key again. A key that was not refused is kept as was asked for: perhaps only the connection
 * broke.
 */
function leave(why = '', mayBeGood = false) {
  if (!mayBeGood) forgetKey()
  auditor = undefined
  leaving.abort()
  document.body.classList.remove('in')
  for (const name of ['views', 'who', ...Object.keys(views)]) at(name).hidden = true
  for (const body of document.querySelectorAll('.view .body')) fill(body)
  at('enter').hidden = false
  at('refused').hidden = !why
  at('refused').textContent = why
  at('key').focus()
}

async function route(focus) {
  if (!auditor) return
  const { name, params } = placeOf(location.hash)
  leaving.abort()
  leaving = new AbortController()
  const { signal } = leaving
  for (const id of ['views', 'who']) at(id).hidden = false
  for (const id of ['enter', ...Object.keys(views)]) at(id).hidden = id !== name
  for (const link of document.querySelectorAll('#views a'))
    if (link.hash === `#/${name}`) link.setAttribute('aria-current', 'page')
    else link.removeAttribute('aria-current')
  const section = at(name)
  const title = section.querySelector('h1').textContent
  document.title = `${title} – Daybook`
  if (focus) {
    at('main').focus({ preventScroll: true })
    say(title)
  }
  try {
    await views[name](section, params, signal)
  } catch (error) {
    if (signal.aborted) return
    if (error.status === 401) leave(wordsOf(error))
    else
      fill(
        section.querySelector('.body'),
        failed(error, () => route(false)),
      )
    if (!(error instanceof Failed)) console.error(error)
  }
}

const placeOf = (hash) => {
  const [, name, query = ''] = /^#\/(\w+)(?:\?(.*))?$/.exec(hash) ?? []
  const known = name in views && (auditor.stores === null || OF_STORES.includes(name))
  const first = auditor.stores === null ? 'timeline' : 'transaction'
  return { name: known ? name : first, params: known ? Object.fromEntries(new URLSearchParams(query)) : {} }
}

if (hasKey()) await enter()
else leave()
