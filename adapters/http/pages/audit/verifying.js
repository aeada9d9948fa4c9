/*
 * What the button does: fetches heads, keys, proofs and lines, and has each checked in this browser. Nothing is
 * believed because it was sent.
 */

import { ask, each, Failed } from './api.js'
import { grouped } from './dom.js'
import { eventsOnScreen, lineSeen, note } from './proved.js'
import { names, pinned, remember, remembered } from './trust.js'
import { nothingSealed, notSealed } from './unsealed.js'
import {
  checkConsistency,
  checkEndorsed,
  checkHead,
  checkInclusion,
  fingerprint,
  NoEd25519,
  NotProved,
} from './verify.js'

/** Heads and events that are checked at once, and questions under way. */
const HEADS = 10
const EVENTS = 50
const TOGETHER = 4

/**
 * Runs every check and tells each as a step: `{ state, title, text }` with the state good, bad or open. Answers good,
 * bad, or open where this browser could not check everything. The newest head is remembered only when everything fits.
 */
export const verifyAll = async (tell) => {
  const states = []
  const told = (state, title, text) => {
    states.push(state)
    tell({ state, title, text })
  }
  try {
    await everything(told, states)
  } catch (error) {
    if (!(error instanceof NotProved) && !(error instanceof Failed)) console.error(error)
    told('bad', error instanceof Failed ? 'The service did not answer' : 'Something does not fit', error.message)
  }
  return ['bad', 'open'].find((state) => states.includes(state)) ?? 'good'
}

const everything = async (told, states) => {
  if (!globalThis.isSecureContext) {
    told('open', 'This page did not come over https', 'Browsers check signatures on secure pages only.')
    return
  }
  const { heads, keys } = await ask('/v1/audit/seals', { limit: HEADS })
  const [newest] = heads
  if (newest) {
    const publicKey = await keyOf(newest, keys, told)
    await signatures(heads, keys, told)
    await grown(newest, told)
    await joined(heads, told)
    await events(newest, told)
    if (states.every((state) => state === 'good')) remember({ ...newest, publicKey })
  } else {
    const known = { hasHead: remembered() !== undefined, hasKey: pinned() !== '' }
    const { state, title, text } = nothingSealed({ events: await eventsShown(), ...known, now: Date.now() })
    told(state, title, text)
  }
}

/**
 * The key of the newest head. It has to be the pinned one, if one is pinned, else the one of the last visit; or a key
 * that this one has vouched for.
 */
const keyOf = async (newest, keys, told) => {
  const key = keys.find(({ keyId }) => keyId === newest.keyId)
  if (key === undefined) throw new NotProved('The newest head names a key that the service does not show.')
  const { publicKey } = key
  const print = await fingerprint(publicKey)
  const last = remembered()?.publicKey
  const isPinned = pinned() !== ''
  const known = isPinned ? await keyNamed(keys, pinned()) : last
  const words = isPinned ? 'the one that you pinned' : 'the one of your last visit'
  if (isPinned && known === undefined)
    told('bad', 'Not the pinned key', `The newest head names the key ${print}. The pinned one is not there.`)
  else if (known === undefined) told('good', 'Key', `${print}. Compare it with what the operator says, and pin it.`)
  else if (known === publicKey) told('good', 'Key', `${print} is ${words}.`)
  else if (await isHeir(key, keys, known)) told('good', 'Key', `${print} is new, and vouched for by ${words}.`)
  else told('bad', 'The key has changed', `It is ${print} now, and not vouched for by ${words}. Ask the operator.`)
  return publicKey
}

const keyNamed = async (keys, text) => {
  for (const { publicKey } of keys) if (names(text, publicKey, await fingerprint(publicKey))) return publicKey
  return undefined
}

/** Whether each key from the known one on has vouched for the next, up to this one. */
const isHeir = async (key, keys, known) => {
  let heir = key
  for (const _ of keys) {
    const before = keys.find(({ keyId }) => keyId === heir.previous)
    if (before === undefined) return false
    await checkEndorsed(heir, before.publicKey)
    if (before.publicKey === known) return true
    heir = before
  }
  return false
}

const signatures = async (heads, keys, told) => {
  try {
    for (const head of heads) await checkHead(head, keys.find(({ keyId }) => keyId === head.keyId)?.publicKey)
    const [{ size, sealedAt }] = heads
    const all = heads.length === 1 ? 'The head is' : `The newest ${heads.length} heads are`
    told('good', 'Signatures', `${all} signed. The newest covers ${grouped(size)} events, sealed ${sealedAt}.`)
  } catch (error) {
    if (!(error instanceof NoEd25519)) throw error
    told(
      'open',
      'Signatures could not be checked',
      'This browser does not know Ed25519. Use a newer one, or daybook audit check-proof on the command line.',
    )
  }
}

/** Checks that the log has only grown since this browser was last here. */
const grown = async (newest, told) => {
  const last = remembered()
  if (!last) {
    told(
      'good',
      'First visit',
      'When everything fits, this head is remembered, and next time the log must have grown out of it.',
    )
    return
  }
  await consistent(last, newest)
  const by = newest.size - last.size
  told(
    'good',
    'The log only grew',
    `By ${grouped(by)} events since ${last.sealedAt.slice(0, 10)}, none before them changed.`,
  )
}

/** Checks that each head on the screen is the beginning of the next. */
const joined = async (heads, told) => {
  if (heads.length < 2) return
  const pairs = heads.slice(1).map((older, n) => [older, heads[n]])
  await each(pairs, TOGETHER, ([older, newer]) => consistent(older, newer))
  told('good', 'One history', `The newest ${heads.length} heads are heads of one log that only grew.`)
}

const consistent = async (older, newer) => {
  const isAskable = older.log === newer.log && older.size < newer.size
  const path = isAskable ? await pathBetween(older, newer) : []
  await checkConsistency(older, newer, path)
}

const pathBetween = async (older, newer) => {
  try {
    return (await ask('/v1/audit/consistency', { from: older.size, to: newer.size })).path
  } catch (error) {
    if (error.status !== 404) throw error
    throw new NotProved(
      `The service proves no way from the head of ${older.size} events to that of ${newer.size} events.`,
    )
  }
}

const events = async (newest, told) => {
  const all = await eventsShown()
  const sealed = all.filter(({ position }) => BigInt(position) <= BigInt(newest.order))
  const wrong = []
  await each(sealed, TOGETHER, async (event) => {
    const why = await refuted(event, newest)
    if (why) wrong.push(why)
    note(event.position, why ? 'refuted' : 'proved')
  })
  if (wrong.length > 0) told('bad', 'Events were changed', wrong.slice(0, 3).join(' '))
  else if (sealed.length > 0) told('good', 'Events', `${sealed.length} events stand in the log as the page shows them.`)
  const { state, title, text } = notSealed({ events: all, newest, now: Date.now() })
  told(state, title, text)
}

const eventsShown = async () =>
  (eventsOnScreen() ?? (await ask('/v1/audit/events', { limit: EVENTS })).events).slice(0, EVENTS)

/** The reason why an event is not the one that was sealed; undefined when it is. */
const refuted = async (event, newest) => {
  try {
    const proof = await ask('/v1/audit/proof', { position: event.position })
    await consistent(...(proof.head.size < newest.size ? [proof.head, newest] : [newest, proof.head]))
    await checkInclusion(proof.line, proof.index, proof.head, proof.path)
    const { order, id, type, stream } = JSON.parse(proof.line)
    const isShown = order === event.position && id === event.event_id && type === event.type && stream === event.stream
    if (!isShown) throw new NotProved('it is another event than the page shows.')
    if ((lineSeen(event.position) ?? proof.line) !== proof.line)
      throw new NotProved('its content is not what the page shows.')
    return undefined
  } catch (error) {
    // A service that has no proof of an event that is old enough to have one is no better than one with a wrong proof.
    const isRefuted = error instanceof NotProved || error instanceof SyntaxError || error.status === 404
    if (!isRefuted) throw error
    return `Position ${event.position}: ${error.message}`
  }
}
