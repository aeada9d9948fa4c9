import test from 'ava'
import { ABANDONED_MS } from '../../../domain/account/address-claim.ts'
import { idOf } from '../../../domain/kernel/decider.ts'
import { eventually } from '../../../src/demo/stage.ts'
import { daybook } from '../../cli/daybook.ts'
import { bitcoinCore, contract, evm, litecoinCore, solana, tron } from '../../support/address-signers.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { byLog } from '../../support/by-log.ts'
import { assertReplayEqual, logOf, payInFull, type Shop, saidOf, shop, verify } from '../../support/sale.ts'
import { activeSeller, freshAddress, offerOf, ok, signUp } from '../../support/seller.ts'
import { refused, strictly } from '../strict.ts'

/** Whose a receive address is, as sellers, buyers, attackers and the operator meet it. */

let app: TestApp
let shiftMs = 0
test.before(async () => {
  app = await startApp({ world: { now: () => new Date(Date.now() + shiftMs) } })
})
test.after.always(() => app?.stop())

const TAKEN = { path: '/v1/wallets', status: 409, code: 'svc_address_taken' }
const BAD_PROOF = { path: '/v1/wallets', status: 400, code: 'svc_bad_proof' }

const set = (key: string, asset: string, address: string, proof?: object) =>
  app.call('POST', '/v1/wallets', { key, body: { asset, address, ...(proof && { proof }) } })
const asked = async (key: string, asset: string, address: string) => {
  const query = new URLSearchParams({ proof: '1', asset, address })
  return (await ok(app.call('GET', `/v1/wallets?${query}`, { key }))).json
}
const pausedOf = async (key: string): Promise<readonly string[]> =>
  (await ok(app.call('GET', '/v1/wallets?all=1', { key }))).json.paused
const lettersTo = async (email: string): Promise<readonly { subject: string; text: string }[]> =>
  (await app.call('GET', '/dev/inbox.json')).json.filter(({ to }: { to: string }) => to === email)

test.serial(
  'an address that one account receives at is refused to every other, alone, in a list and written otherwise',
  async (t) => {
    const mine = await shop(app)
    const { key } = await signUp(app)
    const fresh = freshAddress()
    await refused(
      t,
      app,
      [mine.address, mine.address.toLowerCase(), `${fresh},${mine.address}`, `${mine.address},${fresh}`].flatMap(
        (address) =>
          ['eth', 'usdc'].map((asset) => ({ what: `${asset} ${address}`, key, body: { asset, address }, ...TAKEN })),
      ),
    )
    t.deepEqual(
      (await ok(set(key, 'eth', fresh.toLowerCase()))).json,
      { asset: 'eth', address: fresh },
      'as it is stored',
    )
    t.is((await set(key, 'usdc_base', mine.address)).status, 200, 'another network')
    t.is((await set(mine.key, 'usdc', mine.address)).status, 200, 'another coin of its own')
  },
)

test.serial(
  'a stranger who registers a shop’s address as the second of its list gets no hold on it: the shop sells and is paid',
  async (t) => {
    const victim = await shop(app)
    const attacker = await shop(app)
    const list = `${freshAddress()},${victim.address}`
    t.is((await set(attacker.key, 'eth', list)).status, 409)
    await offerOf(app, attacker.key, attacker.resId)
    const door = await app.call('GET', `/r/${victim.resId}`)
    t.deepEqual(
      door.json.accepts.map(({ asset, payTo }: { asset: string; payTo: string }) => [asset, payTo]),
      [['eth', victim.address]],
    )
    const offer = await offerOf(app, victim.key, victim.resId)
    const hash = await payInFull(app, offer)
    t.deepEqual((await verify(app, offer.challengeId, hash)).json, { settled: true })
    const [settled] = await saidOf(app, 'ChallengeSettled', hash)
    t.is(settled?.challengeId, offer.challengeId)
  },
)

test.serial('an address whose wallet is removed is free for others once nothing is expected there', async (t) => {
  const mine = await shop(app)
  const { key } = await signUp(app)
  await ok(app.call('DELETE', '/v1/wallets?asset=eth', { key: mine.key }))
  await refused(t, app, [{ what: 'at once', key, body: { asset: 'eth', address: mine.address }, ...TAKEN }])
  shiftMs += 2 * ABANDONED_MS
  t.is((await set(key, 'eth', mine.address)).status, 200)
  await refused(t, app, [{ what: 'back', key: mine.key, body: { asset: 'eth', address: mine.address }, ...TAKEN }])
})

test.serial(
  'on every chain who proves control takes the address, and who had it is paused and told by letter',
  async (t) => {
    const call = strictly(t, app)
    for (const make of [evm, contract, solana, tron, bitcoinCore, litecoinCore]) {
      const { asset, address, sign } = await make(app)
      const [squatter, owner] = [await activeSeller(app), await signUp(app)]
      await ok(set(squatter.key, asset, address))
      t.is((await set(owner.key, asset, address)).status, 409)
      const given = await asked(owner.key, asset, address)
      t.true(given.text.includes(app.served().origin) && given.text.includes(address), given.text)
      const proof = { text: given.text, signature: await sign(given.text) }
      const { status, json } = await call('POST', '/v1/wallets', { key: owner.key, body: { asset, address, proof } })
      t.deepEqual([status, json], [200, { asset, address }], asset)
      await eventually('the pause', async () => (await pausedOf(squatter.key)).includes(asset))
      const letter = await eventually('a letter', async () =>
        (await lettersTo(squatter.email)).find(({ text }) => text.includes(address)),
      )
      t.regex(letter.text, /proved that it controls/)
      await refused(t, app, [
        {
          what: 'resume',
          ...TAKEN,
          method: 'PUT',
          path: `/v1/wallets?asset=${asset}`,
          key: squatter.key,
          body: { active: true },
        },
        { what: 'again', key: squatter.key, body: { asset, address }, ...TAKEN },
      ])
    }
  },
)

test.serial('foreign, used, old and altered proofs are refused and change nothing', async (t) => {
  const { asset, address, sign } = evm()
  const [holder, owner, other] = [await signUp(app), await signUp(app), await signUp(app)]
  await ok(set(holder.key, asset, address))
  const { text } = await asked(owner.key, asset, address)
  const good = { text, signature: await sign(text) }
  const elsewhere = await asked(owner.key, 'usdc_base', address)
  const another = evm()
  const notOwn = text.replace(app.served().origin, 'https://evil.test')
  const later = text.replace(/Time: .*/, `Time: ${new Date(Date.now() + shiftMs + 60_000).toISOString()}`)
  const proofs = {
    'another account’s': [other.key, good],
    'another network’s': [owner.key, { text: elsewhere.text, signature: await sign(elsewhere.text) }],
    'another key’s': [owner.key, { text, signature: await another.sign(text) }],
    'another origin’s': [owner.key, { text: notOwn, signature: await sign(notOwn) }],
    'of a time of one’s own': [owner.key, { text: later, signature: await sign(later) }],
    unsigned: [owner.key, { text, signature: '' }],
  } as const
  await refused(
    t,
    app,
    Object.entries(proofs).map(([what, [key, proof]]) => ({
      what,
      key,
      body: { asset, address, proof },
      ...BAD_PROOF,
    })),
  )
  const shape = { path: '/v1/wallets', key: owner.key, status: 400, code: 'svc_invalid_request' }
  await refused(t, app, [{ what: 'no signature', body: { asset, address, proof: { text } }, ...shape }])
  t.is((await set(owner.key, asset, address, good)).status, 200)
  t.is((await set(owner.key, asset, address, good)).status, 200, 'the same call again changes nothing')
  const back = await asked(holder.key, asset, address)
  await ok(set(holder.key, asset, address, { text: back.text, signature: await sign(back.text) }))
  await refused(t, app, [{ what: 'used', key: owner.key, body: { asset, address, proof: good }, ...BAD_PROOF }])
  const old = await asked(owner.key, asset, address)
  shiftMs += 15 * 60_000
  const body = { asset, address, proof: { text: old.text, signature: await sign(old.text) } }
  await refused(t, app, [{ what: 'old', key: owner.key, body, ...BAD_PROOF }])
})

test.serial('J-WAL-06 addresses that nobody can be paid at are refused, with the reason', async (t) => {
  const { key } = await signUp(app)
  const bad = { path: '/v1/wallets', key, status: 400, code: 'svc_bad_address' }
  const calls = {
    eth: '0x000000000000000000000000000000000000dEaD',
    usdc: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
    sol: '11111111111111111111111111111111',
    trx: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
    ton: `-1:${'5'.repeat(64)}`,
    ltc: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq',
  }
  await refused(
    t,
    app,
    Object.entries(calls).map(([asset, address]) => ({ what: asset, body: { asset, address }, ...bad })),
  )
  const token = {
    type: 'erc-20',
    code: 'own_coin',
    contract_address: freshAddress(),
    decimals: 6,
    name: 'Own',
    rate: '1',
  }
  await ok(app.call('POST', '/v1/custom-tokens', { key, body: token }))
  for (const asset of ['own_coin', 'eth']) {
    const { status, json } = await set(key, asset, token.contract_address)
    t.deepEqual([status, json.error_code], [400, 'svc_bad_address'])
    t.regex(json.message, /the contract of own_coin/)
  }
})

test.serial(
  'accounts of an older log that share an address are told, get no new payments there, and the operator settles it',
  async (t) => {
    const [one, two, three] = [await shop(app), await shop(app), await shop(app)]
    const shared = freshAddress()
    const alone = freshAddress()
    const ids = await Promise.all([one, two, three].map(({ address }) => accountOf(address)))
    for (const { key, resId } of [one, three])
      await ok(app.call('PUT', `/v1/resources?res_id=${resId}`, { key, body: { listed: true } }))
    await app.restart(() =>
      // What an older version wrote: wallets without claims.
      byLog(app, async (ledger) => {
        for (const [n, id] of ids.entries())
          await ledger.wallet.setAddress(id, { asset: 'eth', addresses: [n < 2 ? shared : alone] })
      }),
    )
    const offered = async (resId: string) => {
      const { status, json } = await app.call('GET', `/r/${resId}`)
      return status === 402 ? json.accepts.length : `${status} ${json.message}`
    }
    const shut =
      '503 Nothing can be paid here right now: eth has a receive address that another account has, too. Ask the seller.'
    t.deepEqual([await offered(one.resId), await offered(two.resId), await offered(three.resId)], [shut, shut, 1])
    const { items } = (await ok(app.call('GET', '/v1/services'))).json
    const isListed = ({ resId }: Shop) => items.some(({ id }: { id: string }) => id === resId)
    t.deepEqual([isListed(one), isListed(three)], [false, true])
    const ready = await app.call('GET', '/readyz')
    t.is(ready.status, 200)
    t.deepEqual(ready.json.checks.receive_addresses, { status: 'contested', contested: [`eth:${shared}`] })
    for (const { email } of [one, two])
      await eventually('a letter', async () => (await lettersTo(email)).find(({ text }) => text.includes(shared)))
    const claims = await daybook(app.env, 'wallets', 'claims', '--contested', '--json')
    const [claim] = JSON.parse(claims.stdout)
    const accounts = ids.slice(0, 2)
    t.like(claim, { address: `eth:${shared}`, how: 'contested' })
    t.deepEqual(claim.contested_by.toSorted(), accounts.toSorted())

    const move = (...more: string[]) => daybook(app.env, 'wallets', 'move', `eth:${shared}`, ...more, '--json')
    t.is((await move('--to', 'acc_nobody', '--reason', 'x')).code, 1)
    const moved = await move('--to', accounts[0] ?? '', '--reason', 'the older contract')
    t.is(moved.code, 0, moved.stderr)
    t.like(JSON.parse(moved.stdout), { moved: true, from: [accounts[1]] })
    await eventually('the pause', async () => (await pausedOf(two.key)).includes('eth'))
    t.deepEqual(
      [await offered(one.resId), await offered(two.resId)],
      [1, '503 Nothing can be paid here right now: eth is paused by the seller. Ask the seller.'],
    )
    const [written] = (await saidOf(app, 'AddressClaimed', 'the older contract')).slice(-1)
    t.like(written, { accountId: accounts[0], how: 'operator', reason: 'the older contract' })

    t.is((await offerOf(app, one.key, one.resId)).payTo, shared)
    await assertReplayEqual(t, app)
  },
)

const accountOf = async (address: string): Promise<string> => {
  const set = (await logOf(app)).find(
    (event) => event.type === 'WalletAddressSet' && event.data.addresses.includes(address),
  )
  return idOf(set?.stream ?? '')
}
