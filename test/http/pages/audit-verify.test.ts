import test, { type ExecutionContext } from 'ava'
import { type Hash, leafOf, toBase64 } from '../../../adapters/audit/hash.ts'
import { endorsementText, headText } from '../../../adapters/audit/head.ts'
import { consistencyPath, inclusionPath, type TreeSource } from '../../../adapters/audit/paths.ts'
import { growingTree } from '../../../adapters/audit/tree.ts'
import { keyIdOf, newKeyPair, signText } from '../../../adapters/crypto/ed25519.ts'

/**
 * What the auditor's browser checks for itself, given everything that a server may lie about. WebCrypto here is that of
 * Node.
 */

type Verify = {
  checkInclusion(line: string, index: number, head: object, path: unknown): Promise<void>
  checkConsistency(older: object, newer: object, path: unknown): Promise<void>
  checkHead(head: object, publicKey: unknown): Promise<void>
  checkEndorsed(key: object, before: string): Promise<void>
  fingerprint(publicKey: string): Promise<string>
}
const file = new URL('../../../adapters/http/pages/audit/verify.js', import.meta.url).href
const { checkInclusion, checkConsistency, checkHead, checkEndorsed, fingerprint }: Verify = await import(file)

const SIZE = 70
const L = 2n ** 252n + 27742317777372353535851937790883648493n
const NOBODYS = [
  'AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=',
  'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=',
  'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAIA=',
  '7P///////////////////////////////////////38=',
  '7f///////////////////////////////////////38=',
  '7v///////////////////////////////////////38=',
  'JuiVj8KyJ7BFw/SJ8u+Y8NXfrAXTxjM5sTgCiG1T/AU=',
  'xxdqcD1N2E+6PAt2DRBnDyogU/osOczGTsf9d5KsA3o=',
]

const key = newKeyPair()
const lines = Array.from({ length: SIZE }, (_, n) => JSON.stringify({ order: String(n), text: `event ${n} – ✓` }))

/** The log of some lines, and its heads. */
const logOf = (all: readonly string[], log = 'b1ab56b2-1111-4111-8111-3f8e7b1b5a10') => {
  const leaves = all.map(leafOf)
  const source: TreeSource = { leaves: async (from, to) => leaves.slice(from, to), node: async () => undefined }
  const head = (size: number) => {
    const tree = growingTree()
    for (const leaf of leaves.slice(0, size)) tree.add(leaf)
    const root = toBase64(tree.root())
    return { log, size, order: String(size), root, chain: root, sealedAt: '2026-11-22T08:00:00.000Z' }
  }
  const written = (path: readonly Hash[]) => path.map(toBase64)
  return {
    head,
    inclusion: async (index: number, size: number) => written(await inclusionPath(source, index, size)),
    consistency: async (older: number, size: number) => written(await consistencyPath(source, older, size)),
  }
}
const { head, inclusion, consistency } = logOf(lines)

const refuses = (t: ExecutionContext, checking: Promise<void>, what: string) =>
  t.throwsAsync(checking, { name: 'NotProved' }, what)

/**
 * The text with one of its characters changed to another that base64 knows, at a place where it holds a whole sextet.
 */
const flipped = (base64: string, at = 5) =>
  base64.slice(0, at) + (base64[at] === 'A' ? 'B' : 'A') + base64.slice(at + 1)

test('every event of logs of every size is found to stand in them, and one log is found to go on from every other', async (t) => {
  for (let size = 1; size <= SIZE; size++) {
    for (const index of [0, size >> 1, size - 1])
      await t.notThrowsAsync(checkInclusion(lines[index] ?? '', index, head(size), await inclusion(index, size)))
    for (let older = 1; older <= size; older += 1 + (size >> 4))
      await t.notThrowsAsync(
        checkConsistency(head(older), head(size), await consistency(older, size)),
        `${older} ${size}`,
      )
  }
  t.is((await fingerprint(key.publicKey)).replaceAll(' ', '').slice(0, 16), keyIdOf(key.publicKey))
})

test('a changed line, another place, another path, root or size is refused', async (t) => {
  const [line = '', index, at] = [lines[41], 41, head(SIZE)]
  const path = await inclusion(index, SIZE)
  const lies: [string, Parameters<Verify['checkInclusion']>][] = [
    ['line', [line.replace('41', '14'), index, at, path]],
    ['space', [`${line} `, index, at, path]],
    ['index', [line, index + 1, at, path]],
    ['index beyond', [line, SIZE, at, path]],
    ['index below', [line, -1, at, path]],
    ['index text', [line, '41' as never, at, path]],
    ['root', [line, index, { ...at, root: flipped(at.root) }, path]],
    ['size', [line, index, { ...at, size: SIZE - 30 }, path]],
    ['size more', [line, index, { ...at, size: 2 ** 53 - 1 }, path]],
    ['size none', [line, 0, { ...at, size: 0 }, []]],
    ['path empty', [line, index, at, []]],
    ['path shorter', [line, index, at, path.slice(1)]],
    ['path longer', [line, index, at, [...path, path[0]]]],
    ['path swapped', [line, index, at, path.toReversed()]],
    ['path endless', [line, index, at, Array.from({ length: 5_000 }, () => path[0])]],
    ['path of none', [line, index, at, undefined]],
    ['path of numbers', [line, index, at, [1, 2, 3]]],
    ...path.map((hash, n): [string, Parameters<Verify['checkInclusion']>] => [
      `path ${n}`,
      [line, index, at, path.with(n, flipped(hash))],
    ]),
  ]
  for (const [what, lie] of lies) await refuses(t, checkInclusion(...lie), what)
  // A node of the tree is no event, whatever text it is made of.
  const [left = '', right = ''] = lines
  const inner = Buffer.concat([leafOf(left), leafOf(right)].map((hash) => Buffer.from(hash, 'latin1'))).toString(
    'latin1',
  )
  await refuses(t, checkInclusion(inner, 0, head(2), []), 'a node as an event')
})

test('a log that was written anew, cut or joined to another is not one that only grew', async (t) => {
  const forked = logOf(lines.with(20, '{"order":"20","text":"another event"}'))
  const [older, newer] = [head(33), forked.head(SIZE)]
  await refuses(t, checkConsistency(older, newer, await forked.consistency(33, SIZE)), 'a fork with its own proof')
  await refuses(t, checkConsistency(older, newer, await consistency(33, SIZE)), 'a fork with the proof of the true log')
  await refuses(t, checkConsistency(head(SIZE), head(33), await consistency(33, SIZE)), 'a shorter log')
  await refuses(t, checkConsistency(older, forked.head(33), []), 'another head of the same size')
  await refuses(t, checkConsistency(older, head(SIZE), []), 'no proof')
  await refuses(t, checkConsistency(head(32), head(SIZE), []), 'no proof from a whole subtree')
  const path = await consistency(33, SIZE)
  for (let n = 0; n < path.length; n++)
    await refuses(t, checkConsistency(older, head(SIZE), path.with(n, flipped(path[n] ?? ''))), `path ${n}`)
  await refuses(t, checkConsistency(older, head(SIZE), [...path, path[0]]), 'too long')
  await refuses(t, checkConsistency(older, head(SIZE), path.slice(0, -1)), 'too short')
  await refuses(t, checkConsistency({ ...older, log: 'another' }, head(SIZE), path), 'another log')
  await refuses(t, checkConsistency({ ...older, size: 32 }, head(SIZE), path), 'another size')
})

test('a head counts only as it was signed, in the one true form of its signature', async (t) => {
  const at = { ...head(SIZE), signature: signText(key.privateKey, headText(head(SIZE))) }
  await t.notThrowsAsync(checkHead(at, key.publicKey))
  const [early, late] = [
    Buffer.from(at.signature, 'base64').subarray(0, 32),
    Buffer.from(at.signature, 'base64').subarray(32),
  ]
  const more = BigInt(`0x${Buffer.from(late).reverse().toString('hex')}`) + L
  const malleated = Buffer.concat([early, Buffer.from(more.toString(16).padStart(64, '0'), 'hex').reverse()])
  const lies: object[] = [
    ...['log', 'order', 'root', 'chain', 'sealedAt'].map((name) => ({ [name]: flipped(at[name as 'root'], 2) })),
    { size: SIZE + 1 },
    { size: '70' },
    { log: `${at.log}\n70` },
    { sealedAt: '2026' },
    { root: `${at.root}\n` },
    { signature: flipped(at.signature) },
    { signature: flipped(at.signature, 60) },
    { signature: '' },
    { signature: malleated.toString('base64') },
    { signature: at.signature.replace('==', '') },
    { signature: null },
  ]
  for (const lie of lies) await refuses(t, checkHead({ ...at, ...lie }, key.publicKey), JSON.stringify(lie))
  for (const other of [newKeyPair().publicKey, flipped(key.publicKey), '', 'nonsense', undefined])
    await refuses(t, checkHead(at, other), String(other))
  // By a key of small order a signature of nothing would count for every text.
  for (const weak of NOBODYS) {
    const signature = Buffer.concat([Buffer.from(NOBODYS[0] ?? '', 'base64'), Buffer.alloc(32)]).toString('base64')
    await refuses(t, checkHead({ ...at, signature }, weak), weak)
  }
})

test('a new key counts when the one before it has signed it', async (t) => {
  const next = newKeyPair().publicKey
  const endorsement = signText(key.privateKey, endorsementText(next))
  await t.notThrowsAsync(checkEndorsed({ publicKey: next, endorsement }, key.publicKey))
  await refuses(t, checkEndorsed({ publicKey: newKeyPair().publicKey, endorsement }, key.publicKey), 'another key')
  await refuses(t, checkEndorsed({ publicKey: next, endorsement }, next), 'by itself')
  await refuses(t, checkEndorsed({ publicKey: next, endorsement: null }, key.publicKey), 'nobody')
  await refuses(t, checkEndorsed({ publicKey: `${next}\n`, endorsement }, key.publicKey), 'no key')
})

type Finding = { state: string; title: string; text: string }
type Unsealed = {
  nothingSealed(given: { events: object[]; hasHead: boolean; hasKey: boolean; now: number }): Finding
  notSealed(given: { events: object[]; newest: object; now: number }): Finding
}
const { nothingSealed, notSealed }: Unsealed = await import(
  new URL('../../../adapters/http/pages/audit/unsealed.js', import.meta.url).href
)

const NOW = Date.parse('2026-11-22T08:20:00.000Z')
const eventAt = (position: number, secondsAgo: number) => ({
  position: String(position),
  at: new Date(NOW - secondsAgo * 1_000).toISOString(),
})

test('a log of which nothing is sealed is not fine, and wrong for whoever knows a head or a key', (t) => {
  const [young, old] = [[eventAt(1, 30)], [eventAt(2, 30), eventAt(1, 3_600)]]
  const given = { hasHead: false, hasKey: false, now: NOW }
  t.is(nothingSealed({ events: [], ...given }).state, 'open')
  t.is(nothingSealed({ events: young, ...given }).state, 'open')
  t.is(nothingSealed({ events: old, ...given }).state, 'bad')
  t.is(nothingSealed({ events: young, ...given, hasHead: true }).state, 'bad')
  t.is(nothingSealed({ events: [], ...given, hasKey: true }).state, 'bad')
})

test('what is not sealed is said with its number and its seconds, and what is kept out is wrong', (t) => {
  const sealedAt = (secondsAgo: number) => ({ order: '5', sealedAt: new Date(NOW - secondsAgo * 1_000).toISOString() })
  const events = [eventAt(7, 3), eventAt(6, 41), eventAt(5, 50)]
  const said = notSealed({ events, newest: sealedAt(45), now: NOW })
  t.is(said.state, 'good')
  t.regex(
    said.text,
    /^Up to 2 events of the last 41 s wait for the next head: nobody vouches for them\. Times are the operator’s\.$/,
  )
  t.like(notSealed({ events: [eventAt(5, 50)], newest: sealedAt(45), now: NOW }), {
    state: 'good',
    title: 'All are sealed',
  })
  const late = [eventAt(7, 3), eventAt(6, 3_600)]
  t.is(notSealed({ events: late, newest: sealedAt(10), now: NOW }).state, 'bad')
  t.is(notSealed({ events: late, newest: sealedAt(3_590), now: NOW }).state, 'open')
})

test('two heads that part are told with both their sizes', async (t) => {
  const other = logOf(lines.with(3, 'another'))
  const wrong = await t.throwsAsync(checkConsistency(head(9), other.head(20), await other.consistency(9, 20)))
  t.regex(wrong?.message ?? '', /The log of 20 events does not begin with the one of 9 events/)
  const shorter = await t.throwsAsync(checkConsistency(head(20), head(9), []))
  t.is(shorter?.message, 'The log has 9 events and had 20 before.')
})
