import type { TestFn } from 'ava'
import type { Transfer } from '../../domain/kernel/ports.ts'
import { reorganisationContract } from './chain-reorganisation.ts'
import { type ChainUnderTest, given, range } from './chain-under-test.ts'
import { voicesContract } from './chain-voices.ts'

/** In what chains differ; what is not given is as on an EVM chain. */
export type ChainTraits = {
  /** What this chain does not have at all. Where it has it, `open` gives the parts that belong to it. */
  readonly without?: readonly ('tokens' | 'failed transactions' | 'reorganisations')[]
  /** What the index of a payment in the chain's own coin looks like; that of a token never does. */
  readonly nativeIndex?: RegExp
  /** The hash of a transaction that never was. */
  readonly unknown?: string
  /** What is paid where the amount matters: one that a float would spoil. */
  readonly amount?: bigint
  /** A transaction also gives the payer his change, a transfer like any other to an address of his own. */
  readonly change?: boolean
}

/** What any chain must do. */
export const chainContract = (
  test: TestFn,
  name: string,
  open: () => Promise<ChainUnderTest>,
  traits: ChainTraits = {},
) => {
  const {
    without = [],
    nativeIndex = /^native$/,
    unknown = `0x${'ab'.repeat(32)}`,
    amount = 1_000_000_000_000_000_001n,
    change = false,
  } = traits
  const kinds = without.includes('tokens') ? (['native'] as const) : (['native', 'token'] as const)
  const transfersOf = async ({ chain, addresses }: ChainUnderTest, tx: string) =>
    (await chain.transfersOf(tx))?.filter(({ to }) => !change || addresses.includes(to))
  const assetsOf = (opened: ChainUnderTest) => kinds.map((kind) => given(opened[kind]))
  test.serial(`${name}: the head rises by the blocks mined and carries its hash`, async (t) => {
    const { chain, mine } = await open()
    const before = await chain.head()
    await mine(3)
    const after = await chain.head()
    t.is(after.height, before.height + 3)
    t.not(after.hash, before.hash)
  })

  for (const kind of kinds) {
    test.serial(`${name}: J-GEN-05 a ${kind} payment is found by hash and by range, exact and alike`, async (t) => {
      const opened = await open()
      const [to = ''] = opened.addresses
      const { height } = await opened.chain.head()
      const asset = given(opened[kind])
      const tx = await opened.pay(asset, to, amount)
      const byHash = await transfersOf(opened, tx)
      const byRange = await range(opened, height + 1, to)
      t.deepEqual(byHash, [...byRange])
      const [found] = byRange
      const { network } = opened.chain
      t.like(found, { network, tx, asset, to, amount, height: height + 1 })
      t.is(nativeIndex.test(found?.index ?? ''), kind === 'native')
      t.is(found && new Date(found.minedAt).toISOString(), found?.minedAt)
      t.is(found?.blockHash, (await opened.chain.head()).hash)
    })

    test.serial(`${name}: M-SET-06 what an address holds in ${kind}s is told to the smallest unit`, async (t) => {
      const { chain, addresses, nobody, pay, ...opened } = await open()
      const [to = ''] = addresses
      const asset = given(opened[kind])
      const before = given(await chain.balanceOf(to, asset))
      await pay(asset, to, amount)
      t.is(await chain.balanceOf(to, asset), before + amount)
      await pay(asset, to, amount)
      t.is(await chain.balanceOf(to, asset), before + 2n * amount)
      t.is(await chain.balanceOf(nobody, asset), 0n)
    })

    if (without.includes('failed transactions')) continue
    test.serial(`${name}: a ${kind} transaction that failed on chain pays nothing`, async (t) => {
      const opened = await open()
      const { height } = await opened.chain.head()
      const { tx, to } = await given(opened.payInVain)(given(opened[kind]))
      t.deepEqual(await opened.chain.transfersOf(tx), [])
      t.deepEqual(await range(opened, height + 1, to), [])
    })
  }

  voicesContract(test, name, open, { unknown, amount })

  test.serial(`${name}: a transaction nobody knows and a malformed hash are undefined`, async (t) => {
    const { chain } = await open()
    t.is(await chain.transfersOf(unknown), undefined)
    for (const malformed of ['', '0x', 'nope', `0x${'ab'.repeat(33)}`, `0x${'zz'.repeat(32)}`, 'ab'.repeat(5000)])
      t.is(await chain.transfersOf(malformed), undefined)
  })

  test.serial(`${name}: a payment to an address that is not watched is not reported by range`, async (t) => {
    const opened = await open()
    const [watched = '', other = ''] = opened.addresses
    const { height } = await opened.chain.head()
    for (const asset of assetsOf(opened)) await opened.pay(asset, other, 5n)
    t.deepEqual(await range(opened, height + 1, watched), [])
    t.is((await range(opened, height + 1, watched, other)).length, kinds.length)
  })

  test.serial(`${name}: M-SET-06 a coin that the chain does not have has no balance there`, async (t) => {
    const { chain, addresses, native } = await open()
    for (const other of ['', 'nope', native === 'btc' ? 'eth' : 'btc'])
      t.is(await chain.balanceOf(addresses[0] ?? '', other), undefined)
  })

  test.serial(`${name}: both ends of a range are included, and what is found comes in chain order`, async (t) => {
    const opened = await open()
    const { chain } = opened
    const [a = '', b = ''] = opened.addresses
    const { height } = await chain.head()
    const paid: string[] = []
    const assets = Array.from({ length: 4 }, (_, n) => assetsOf(opened)[n % kinds.length] ?? '')
    for (const asset of assets) paid.push(await opened.pay(asset, paid.length % 2 ? a : b, 7n))
    const hashes = (found: readonly Transfer[]) => found.map(({ tx }) => tx)
    const both = new Set([a, b])
    t.deepEqual(hashes(await chain.transfersIn(height + 1, height + 4, both)), paid)
    t.deepEqual(hashes(await chain.transfersIn(height + 2, height + 3, both)), paid.slice(1, 3))
    t.deepEqual(hashes(await chain.transfersIn(height + 3, height + 3, both)), paid.slice(2, 3))
    t.deepEqual(hashes(await chain.transfersIn(height + 4, height + 3, both)), [])
  })

  test.serial(`${name}: two payments in one transaction are told apart by their index`, async (t) => {
    const opened = await open()
    const [a = '', b = ''] = opened.addresses
    const { height } = await opened.chain.head()
    const tx = await opened.payTwo([a, 11n], [b, 12n])
    const found = (await transfersOf(opened, tx)) ?? []
    t.deepEqual(
      found.map(({ to, amount }) => [to, amount]),
      [
        [a, 11n],
        [b, 12n],
      ],
    )
    t.is(new Set(found.map(({ index }) => index)).size, 2)
    t.deepEqual([...(await range(opened, height + 1, a, b))], found)
  })

  test.serial(
    `${name}: a range that reaches beyond the head is refused, since an empty answer would lose payments`,
    async (t) => {
      const opened = await open()
      const { height } = await opened.chain.head()
      await t.throwsAsync(opened.chain.transfersIn(height, height + 1, new Set(opened.addresses)))
    },
  )

  if (!without.includes('tokens')) tokenContract(test, name, open)

  if (!without.includes('reorganisations')) reorganisationContract(test, name, open, kinds)
}

/** What any chain with tokens must do besides. */
const tokenContract = (test: TestFn, name: string, open: () => Promise<ChainUnderTest>) => {
  test.serial(`${name}: a foreign token under the same symbol is no payment`, async (t) => {
    const opened = await open()
    const [to = ''] = opened.addresses
    const { height } = await opened.chain.head()
    const found = await opened.chain.transfersOf(await given(opened.payForeign)(to, 9n))
    t.deepEqual(
      found?.map(({ asset, amount }) => [asset, amount]),
      [[given(opened.foreign), 9n]],
      'it goes by its own contract',
    )
    t.deepEqual(await range(opened, height + 1, to), [])
  })

  test.serial(`${name}: M-SET-06 a foreign token under the same symbol is held under its own contract`, async (t) => {
    const { chain, addresses, nobody, payForeign, ...opened } = await open()
    const [, to = ''] = addresses
    const [token, foreign] = [given(opened.token), given(opened.foreign)]
    const own = await chain.balanceOf(to, token)
    const before = given(await chain.balanceOf(to, foreign))
    await given(payForeign)(to, 9n)
    t.is(await chain.balanceOf(to, foreign), before + 9n)
    t.is(await chain.balanceOf(to, token), own)
    t.is(await chain.balanceOf(nobody, foreign), 0n)
  })

  test.serial(
    `${name}: J-TOK-08 a range also finds the transfers of further contracts, under their own names`,
    async (t) => {
      const opened = await open()
      const [to = ''] = opened.addresses
      const { height } = await opened.chain.head()
      const tx = await given(opened.payForeign)(to, 9n)
      await opened.pay(given(opened.token), to, 8n)
      const contracts = new Set([given(opened.foreign), opened.addresses[1] ?? ''])
      const found = await opened.chain.transfersIn(height + 1, height + 2, new Set([to]), contracts)
      t.deepEqual(
        found.map(({ asset, amount }) => [asset, amount]),
        [
          [given(opened.foreign), 9n],
          [given(opened.token), 8n],
        ],
      )
      t.deepEqual(found.slice(0, 1), [...((await opened.chain.transfersOf(tx)) ?? [])])
    },
  )
}

/** A part that a chain with the trait must bring. */
