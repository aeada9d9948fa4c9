/**
 * Proofs that an event is in the sealed log, and that one head goes on from another: what holds, and all that does not.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { ed25519 } from '@noble/curves/ed25519.js'
import test from 'ava'
import fc from 'fast-check'
import nacl from 'tweetnacl'
import { type Hash, leafOf, toBase64 } from '../../adapters/audit/hash.ts'
import { headText } from '../../adapters/audit/head.ts'
import {
  consistencyPath,
  inclusionPath,
  isConsistent,
  rootOfPath,
  type TreeSource,
} from '../../adapters/audit/paths.ts'
import { faultOf, type Proof, proofOf } from '../../adapters/audit/proof.ts'
import { growingTree, type Subtree } from '../../adapters/audit/tree.ts'
import { isPublicKey, isSigned, keyIdOf, newKeyPair, signText } from '../../adapters/crypto/ed25519.ts'

const CHECKER = fileURLToPath(new URL('../../docs/check-proof.mjs', import.meta.url))

/**
 * The tree of RFC 6962's reference implementation (certificate-transparency, merkle_tree_test): its leaves and its
 * roots.
 */
const RFC_LEAVES = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f']
const RFC_ROOTS = [
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
]

test('roots are those of the reference implementation of RFC 6962', (t) => {
  const tree = growingTree()
  for (const [i, leaf] of RFC_LEAVES.entries()) {
    // A line is text; of these leaves each is one character a byte below 128.
    tree.add(leafOf(Buffer.from(leaf, 'hex').toString('latin1')))
    t.is(Buffer.from(tree.root(), 'latin1').toString('hex'), RFC_ROOTS[i] ?? '')
  }
})

/** A tree that is large enough for its subtrees to be looked up, with what it was asked for. */
const grownTree = (size: number) => {
  const tree = growingTree()
  const leaves: Hash[] = []
  const nodes = new Map<string, Hash>()
  const roots = [tree.root()]
  for (let i = 0; i < size; i++) {
    leaves.push(leafOf(`event ${i}`))
    tree.add(leaves[i] as Hash)
    roots.push(tree.root())
  }
  for (const { level, index, hash } of tree.completed() as readonly Subtree[]) nodes.set(`${level}/${index}`, hash)
  const asked = { leaves: 0 }
  const source: TreeSource = {
    leaves: async (from, to) => {
      asked.leaves += to - from
      return leaves.slice(from, to)
    },
    node: async (level, index) => nodes.get(`${level}/${index}`),
  }
  return { source, roots, leaves, asked }
}

const big = grownTree(10_000)

test('every event of any tree has a path to its root, and no other', async (t) => {
  for (let size = 1; size <= 40; size++)
    for (let index = 0; index < size; index++) {
      const path = await inclusionPath(big.source, index, size)
      t.is(rootOfPath(big.leaves[index] as Hash, index, size, path), big.roots[size])
      if (size > 1) t.not(rootOfPath(big.leaves[(index + 1) % size] as Hash, index, size, path), big.roots[size])
      t.is(rootOfPath(big.leaves[index] as Hash, index, size, [...path, big.roots[1] as Hash]), undefined)
      if (path.length > 0) t.is(rootOfPath(big.leaves[index] as Hash, index, size, path.slice(1)), undefined)
    }
  t.is(rootOfPath(big.leaves[0] as Hash, 5, 5, []), undefined)
})

test('a path in a large log is made from a few thousand leaves', async (t) => {
  const place = fc.integer({ min: 1, max: 10_000 }).chain((size) => fc.tuple(fc.constant(size), fc.nat(size - 1)))
  await fc.assert(
    fc.asyncProperty(place, async ([size, index]) => {
      big.asked.leaves = 0
      const path = await inclusionPath(big.source, index, size)
      t.is(rootOfPath(big.leaves[index] as Hash, index, size, path), big.roots[size])
      t.true(big.asked.leaves <= 12 * 1_024, `${big.asked.leaves}`)
    }),
    { numRuns: 60 },
  )
})

test('a head goes on from every head before it, and from no other history', async (t) => {
  const sizes = fc
    .integer({ min: 1, max: 10_000 })
    .chain((size) => fc.tuple(fc.integer({ min: 1, max: size }), fc.constant(size)))
  const small = Array.from({ length: 30 }, (_, i) =>
    Array.from({ length: i + 1 }, (_, j) => [j + 1, i + 1] as const),
  ).flat()
  const check = async ([older, size]: readonly [number, number]) => {
    const path = await consistencyPath(big.source, older, size)
    const [old, now] = [
      { size: older, root: big.roots[older] as Hash },
      { size, root: big.roots[size] as Hash },
    ]
    t.true(isConsistent(old, now, path))
    t.false(isConsistent({ ...old, root: leafOf('other') }, now, path))
    t.false(isConsistent(old, { ...now, root: leafOf('other') }, path))
    t.false(isConsistent(old, now, [...path, leafOf('more')]))
    if (path.length > 0) t.false(isConsistent(old, now, path.slice(0, -1)))
    for (const i of path.keys()) t.false(isConsistent(old, now, path.with(i, leafOf('other'))))
  }
  for (const each of small) await check(each)
  await fc.assert(fc.asyncProperty(sizes, check), { numRuns: 30 })
  t.false(isConsistent({ size: 0, root: '' }, { size: 1, root: big.roots[1] as Hash }, []))
  t.false(isConsistent({ size: 2, root: big.roots[2] as Hash }, { size: 1, root: big.roots[1] as Hash }, []))
})

const L = 2n ** 252n + 27742317777372353535851937790883648493n

/** The same signature with L added to its second half: as good to tweetnacl, which is why it is looked at first. */
const malleated = (signature: string): string => {
  const bytes = Buffer.from(signature, 'base64')
  const s = BigInt(`0x${Buffer.from(bytes.subarray(32)).reverse().toString('hex')}`) + L
  return Buffer.concat([
    bytes.subarray(0, 32),
    Buffer.from(s.toString(16).padStart(64, '0'), 'hex').reverse(),
  ]).toString('base64')
}

test('a signature is that of tweetnacl and of noble, and counts in one form only', (t) => {
  for (let i = 0; i < 20; i++) {
    const { publicKey, privateKey } = newKeyPair()
    const [key, text] = [Buffer.from(publicKey, 'base64'), `text ${i}`]
    const signature = signText(privateKey, text)
    t.is(Buffer.from(ed25519.sign(Buffer.from(text), Buffer.from(privateKey, 'base64'))).toString('base64'), signature)
    t.true(isSigned(publicKey, text, signature))
    t.false(isSigned(publicKey, `${text}.`, signature))
    t.false(isSigned(newKeyPair().publicKey, text, signature))
    t.true(nacl.sign.detached.verify(Buffer.from(text), Buffer.from(malleated(signature), 'base64'), key))
    t.false(isSigned(publicKey, text, malleated(signature)))
    t.false(isSigned(publicKey, text, `${signature} `))
    t.is(keyIdOf(publicKey).length, 16)
  }
  for (const nothing of ['', 'x', 'AAAA']) t.false(isSigned(nothing, 'text', nothing))
})

test('by a key of small order nothing is signed, although other libraries take it', (t) => {
  const forged = Buffer.concat([Buffer.from([1]), Buffer.alloc(63)])
  const identity = Buffer.concat([Buffer.from([1]), Buffer.alloc(31)])
  t.true(nacl.sign.detached.verify(Buffer.from('anything'), forged, identity))
  const encodings = [
    '00',
    '01',
    'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
    'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
    '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
    // The same y above the prime, and with the sign of x set.
    'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
    'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
    '0100000000000000000000000000000000000000000000000000000000000080',
    'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
  ].map((hex) => Buffer.from(hex.padEnd(64, '0'), 'hex').toString('base64'))
  for (const key of encodings) {
    t.false(isPublicKey(key), key)
    t.false(isSigned(key, 'anything', forged.toString('base64')), key)
  }
  t.true(isPublicKey(newKeyPair().publicKey))
})

const proved = async (): Promise<{ proof: Proof; publicKey: string }> => {
  const { publicKey, privateKey } = newKeyPair()
  const line =
    '{"order":"7","stream":"thing-1","id":"i","type":"ThingDone","metadata":{"at":"2026-11-20T10:00:00.000Z"},"data":{"é":1}}'
  const tree = growingTree()
  const leaves = [0, 1, 2, 3, 4, 5, 6].map((i) => leafOf(i === 4 ? line : `event ${i}`))
  for (const leaf of leaves) tree.add(leaf)
  const head = {
    log: 'first',
    size: 7,
    order: '9',
    root: toBase64(tree.root()),
    chain: toBase64(leafOf('chain')),
    sealedAt: 'then',
  }
  const signed = { ...head, keyId: keyIdOf(publicKey), signature: signText(privateKey, headText(head)) }
  const source = { leaves: async (from: number, to: number) => leaves.slice(from, to), node: async () => undefined }
  return { proof: await proofOf(source, line, 4, signed), publicKey }
}

test('a proof that anything was done to does not hold, here and by the program that an auditor reads', async (t) => {
  const { proof, publicKey } = await proved()
  t.is(faultOf(proof, publicKey), undefined)
  const { head, path } = proof
  const bad: unknown[] = [
    null,
    {},
    [],
    'x',
    { ...proof, format: 'daybook-proof/2' },
    { ...proof, more: 1 },
    { ...proof, line: proof.line.replace('1', '2') },
    { ...proof, line: `${proof.line} ` },
    { ...proof, line: 7 },
    { ...proof, index: 3 },
    { ...proof, index: -1 },
    { ...proof, index: 7 },
    { ...proof, index: 4.5 },
    { ...proof, index: '4' },
    { ...proof, path: path.slice(1) },
    { ...proof, path: [...path, path[0]] },
    { ...proof, path: path.toReversed() },
    { ...proof, path: path.map((each) => each.slice(0, -1)) },
    { ...proof, path: 'x' },
    { ...proof, path: [1, 2, 3] },
    { ...proof, path: path.with(0, `${path[0]} `) },
    ...Object.keys(head).flatMap((name) => [
      { ...proof, head: { ...head, [name]: name === 'size' ? 8 : 'x' } },
      { ...proof, head: Object.fromEntries(Object.entries(head).filter(([key]) => key !== name)) },
    ]),
    { ...proof, head: { ...head, signature: malleated(head.signature) } },
  ]
  const harmless = bad.filter((each) => faultOf(each, publicKey) === undefined)
  // Which key it is called is for people; what counts is the key that it is checked with.
  t.deepEqual(harmless, [{ ...proof, head: { ...head, keyId: 'x' } }])
  t.not(faultOf(proof, newKeyPair().publicKey), undefined)
  t.not(faultOf(proof, Buffer.concat([Buffer.from([1]), Buffer.alloc(31)]).toString('base64')), undefined)

  const directory = await mkdtemp(join(tmpdir(), 'daybook-proof-'))
  t.teardown(() => rm(directory, { recursive: true }))
  const holds = async (each: unknown, key = publicKey) => {
    const file = join(directory, 'proof.json')
    await writeFile(file, JSON.stringify(each))
    return promisify(execFile)(process.execPath, [CHECKER, file, key]).then(
      ({ stdout }) => stdout,
      ({ code, stdout }) => (code === 1 && /^The proof does not hold: /.test(stdout) ? false : `${code} ${stdout}`),
    )
  }
  t.regex(String(await holds(proof)), /^The proof holds: event 4 of the 7 .*\nThingDone in thing-1/)
  for (const each of bad.filter((one) => !harmless.includes(one))) t.is(await holds(each), false, JSON.stringify(each))
  t.is(await holds(proof, newKeyPair().publicKey), false)
})
