#!/usr/bin/env node
// Checks a proof that `daybook audit prove` wrote, with nothing but the public key: `node check-proof.mjs proof.json <public key>`.
// Who has kept a checkpoint from before adds it: `node check-proof.mjs proof.json <key> old.checkpoint consistency.json`.
// The log has to contain it; `daybook audit prove --consistency old.checkpoint` writes the way between the two.
// It is meant to be read. It uses no code of Daybook and no package; any Node from version 18 runs it.
// Exit code 0: the event stands in the sealed log, at its place, to the letter, and the log contains the checkpoint.
// 1: it does not, and the reason is printed. 2: misused.
import { createHash, createPublicKey, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'

const [file, publicKey, checkpointFile, consistencyFile] = process.argv.slice(2)
if (!file || !publicKey) {
  console.error('usage: node check-proof.mjs proof.json <public key in base64> [old.checkpoint [consistency.json]]')
  process.exit(2)
}

function fail(reason) {
  console.log(`The proof does not hold: ${reason}.`)
  process.exit(1)
}

const sha256 = (...parts) => createHash('sha256').update(Buffer.concat(parts)).digest()

// Base64 has one right form; whatever else decodes to the same bytes is refused.
function bytesOf(text, length, what) {
  const bytes = Buffer.from(String(text), 'base64')
  if (bytes.length !== length || bytes.toString('base64') !== text) fail(`${what} is not ${length} bytes of base64`)
  return bytes
}

// 1. Read it. A proof has these members and no others.
function jsonIn(name) {
  try {
    return JSON.parse(readFileSync(name, 'utf8'))
  } catch (error) {
    return fail(`${name} is not JSON: ${error.message}`)
  }
}
const proof = jsonIn(file)
const members = (value) => (value !== null && typeof value === 'object' ? Object.keys(value).sort().join(' ') : '')
if (members(proof) !== 'format head index line path' || proof.format !== 'daybook-proof/1') fail('it is not a proof')
const { line, index, path, head } = proof
const headMembers = 'chain keyId log order root sealedAt signature size'
if (members(head) !== headMembers) fail('it has no signed head')
if (typeof line !== 'string' || !Array.isArray(path)) fail('it has no event or no path')
const isCount = (value) => Number.isSafeInteger(value) && value >= 0
if (!isCount(index) || !isCount(head.size) || index >= head.size) fail('its index is not one of the sealed events')

// 2. The key. A few keys exist by which anybody can sign (those of small order): their y, as a number, is one of these.
const littleEndian = (bytes) => BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`)
const prime = 2n ** 255n - 19n
const orderEight = 0x05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826n
const key = bytesOf(publicKey, 32, 'the public key')
const y = (littleEndian(key) % 2n ** 255n) % prime
if ([0n, 1n, prime - 1n, orderEight, prime - orderEight].includes(y)) fail('by that key anybody can sign')

// 3. The signature of a head (Ed25519, RFC 8032). Its second half has to be below the order of the group, or one
//    signature had two forms.
const groupOrder = 2n ** 252n + 27742317777372353535851937790883648493n
const jwk = { kty: 'OKP', crv: 'Ed25519', x: key.toString('base64url') }
function mustBeSigned({ log, size, order, root, chain, sealedAt, signature: text }, whose) {
  const signature = bytesOf(text, 64, 'the signature')
  if (littleEndian(signature.subarray(32)) >= groupOrder) fail(`${whose} signature has not the one right form`)
  const signed = ['daybook-seal/1', log, size, order, root, chain, sealedAt, ''].join('\n')
  if (!verify(null, Buffer.from(signed), createPublicKey({ key: jwk, format: 'jwk' }), signature))
    fail(`${whose} head is not signed by that key`)
}
mustBeSigned(head, 'its')

// 4. From the event up to the root (RFC 6962 section 2.1, RFC 9162 section 2.1.3.2): at each level the hash beside ours is on the left when
//    our place is odd. The last place of a level that has nothing beside it goes up as it is.
let hash = sha256(Buffer.from([0]), Buffer.from(line, 'utf8'))
let place = index
let last = head.size - 1
const beside = path.map((each, i) => bytesOf(each, 32, `hash ${i} of the path`))
for (; last > 0; place = Math.floor(place / 2), last = Math.floor(last / 2)) {
  if (place % 2 === 0 && place === last) continue
  const next = beside.shift()
  if (!next) fail('its path is too short')
  hash = place % 2 === 1 ? sha256(Buffer.from([1]), next, hash) : sha256(Buffer.from([1]), hash, next)
}
if (beside.length > 0) fail('its path is too long')
if (hash.toString('base64') !== head.root) fail('that event is not at that place of the sealed log')

// 5. A head from before has to be contained (RFC 9162 section 2.1.4.2): one path leads to both roots.
if (checkpointFile) mustContain(jsonIn(checkpointFile).head)
function mustContain(old) {
  if (members(old) !== headMembers || !isCount(old.size) || old.size === 0) fail(`${checkpointFile} has no signed head`)
  mustBeSigned(old, "the checkpoint's")
  const parted = `the log of ${head.size} events does not contain the checkpoint of ${old.size}: they part before`
  if (old.log !== head.log) fail('the checkpoint is of another log')
  if (old.size > head.size) fail(`the checkpoint covers ${old.size} events, and the head of the proof ${head.size}`)
  if (old.size === head.size) return old.root === head.root || fail(parted)
  if (!consistencyFile) fail('a later head needs consistency.json: daybook audit prove --consistency old.checkpoint')
  const { from, to, path: way } = jsonIn(consistencyFile)
  if (from !== old.size || to !== head.size) fail(`${consistencyFile} does not lead from ${old.size} to ${head.size}`)
  if (!Array.isArray(way)) fail(`${consistencyFile} has no path`)
  const hashes = way.map((each, i) => bytesOf(each, 32, `hash ${i} of ${consistencyFile}`))
  const root = bytesOf(old.root, 32, 'the root of the checkpoint')
  let [at, end] = [old.size - 1, head.size - 1]
  for (; at % 2 === 1; at = Math.floor(at / 2), end = Math.floor(end / 2));
  const first = at === 0 ? root : hashes.shift()
  let [before, after] = [first, first]
  for (; end > 0 && before; at = Math.floor(at / 2), end = Math.floor(end / 2)) {
    if (at % 2 === 0 && at === end) continue
    const next = hashes.shift()
    if (!next) fail(parted)
    if (at % 2 === 1) before = sha256(Buffer.from([1]), next, before)
    after = at % 2 === 1 ? sha256(Buffer.from([1]), next, after) : sha256(Buffer.from([1]), after, next)
  }
  if (hashes.length > 0 || !before?.equals(root) || after.toString('base64') !== head.root) fail(parted)
}

// 6. Everything fits. What the event says stands in its line; `at` is when it was decided.
const event = JSON.parse(line)
console.log(`The proof holds: event ${index} of the ${head.size} that were sealed on ${head.sealedAt}.`)
console.log(`${event.type} in ${event.stream}, decided ${event.metadata.at}, id ${event.id}`)
console.log(JSON.stringify(event.data, null, 2))
console.log(`What came after event ${head.size - 1} is not under this head. Times are the operator's.`)
