import test, { type ExecutionContext } from 'ava'
import type { Browser, Page } from 'playwright-core'
import { toUnits } from '../../domain/kernel/money.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { barriers, looks, openPage, shoot, startBrowser } from '../support/browser.ts'
import { choose, offerOn } from '../support/buyer.ts'
import { chromiumPath } from '../support/chromium.ts'
import { shop, USDC } from '../support/sale.ts'
import { ok } from '../support/seller.ts'

/** A person pays with a wallet in the browser: one of our own, which signs on the chain of the test. */

const path = chromiumPath()
const inBrowser = path ? test.serial : test.serial.skip
/** Longer than the watch of the chain takes to see a payment. */
const SEEN_MS = 20_000

let app: TestApp
let browser: Browser
test.before(async () => {
  if (!path) return
  // The main chain by its id, because a wallet is told how to add no other.
  app = await startApp({ chainId: 1 })
  await app.anvil.deployToken(USDC, 10n ** 15n)
  browser = await startBrowser(path)
})
test.after.always(async () => {
  await browser?.close()
  await app?.stop()
})

for (const { name, options } of looks)
  inBrowser(
    `N-81 J-DOOR-08 ${name}: a wallet in the browser pays exactly what is asked, by a click alone`,
    async (t) => {
      const s = await shop(app)
      const { page, wrong, asked } = await atPay(t, `/r/${s.resId}`, 'eth', { names: ['Fox', 'Rabbit'] }, options)
      const offer = await offerOn(app, addressOf(page))
      await page.getByRole('button', { name: 'Pay with Rabbit' }).waitFor()
      t.deepEqual(asked, [], 'no wallet is asked for anything before a click')
      t.deepEqual(await barriers(page), [])
      await shoot(page, `wallet-${name}`)
      await page.getByRole('button', { name: 'Pay with Fox' }).click()
      await page.getByRole('heading', { name: 'Payment seen' }).waitFor({ timeout: SEEN_MS })
      t.deepEqual(
        asked.map(({ method }) => method),
        ['eth_requestAccounts', 'eth_chainId', 'eth_sendTransaction'],
      )
      t.like(asked.at(-1)?.params?.[0], { to: offer.payTo, value: `0x${toUnits(offer.amount, 18).toString(16)}` })
      await app.anvil.mine(6)
      await page.getByRole('heading', { name: 'Paid', exact: true }).waitFor({ timeout: SEEN_MS })
      t.is(await app.anvil.balanceOf(offer.payTo), toUnits(offer.amount, 18))
      t.deepEqual(wrong, [])
    },
  )

inBrowser('N-81 a token is sent by its contract, once, to the address and by the unit', async (t) => {
  const s = await shop(app)
  await ok(app.call('POST', '/v1/wallets', { key: s.key, body: { asset: 'usdc', address: s.address } }))
  const { res_id } = (await ok(app.call('POST', '/v1/resources', { key: s.key, body: { amount: 12.5 } }))).json
  const { page, asked } = await atPay(t, `/r/${res_id}`, 'usdc', {})
  const offer = await offerOn(app, addressOf(page))
  await page.getByRole('button', { name: 'Pay with your wallet' }).dblclick()
  await page.getByRole('heading', { name: 'Payment seen' }).waitFor({ timeout: SEEN_MS })
  t.is(await app.anvil.tokenBalanceOf(USDC, s.address), toUnits(offer.amount, 6))
  t.is(asked.filter(({ method }) => method === 'eth_sendTransaction').length, 1)
})

inBrowser(
  'N-81 a wallet that declines, stays elsewhere or has too little is told in words, and nothing is paid',
  async (t) => {
    const s = await shop(app)
    const { page, asked, wallet } = await atPay(t, `/r/${s.resId}`, 'eth', { code: 4001 })
    const button = page.getByRole('button', { name: 'Pay with your wallet' })
    const status = page.locator('[data-wallet] [role=status]')
    const tries: [told: object, words: RegExp][] = [
      [{ code: 4001 }, /You have declined/],
      [{ code: -32002 }, /waiting for an answer already/],
      [{ code: -32000, message: 'insufficient funds for gas' }, /not enough in your wallet/],
      [{ code: -32603 }, /did not send the payment/],
      [{ code: 0, chain: '0x89', switches: 4902, adds: 4902 }, /not on the Ethereum network/],
      [{ code: 0, chain: '0x89', switches: 'lies' }, /not on the Ethereum network/],
    ]
    for (const [told, words] of tries) {
      await wallet(told)
      await button.click()
      await page.getByText(words).waitFor()
      t.regex((await status.textContent()) ?? '', words)
      t.true(await button.isEnabled(), 'it may be tried again')
    }
    await shoot(page, 'wallet-elsewhere')
    t.is(await app.anvil.balanceOf(s.address), 0n)
    await wallet({ code: 0, chain: '0x89', switches: 'yes' })
    await button.click()
    await page.getByRole('heading', { name: 'Payment seen' }).waitFor({ timeout: SEEN_MS })
    t.deepEqual(asked.findLast(({ method }) => method === 'wallet_switchEthereumChain')?.params, [
      { chainId: `0x${app.anvil.chainId.toString(16)}` },
    ])
  },
)

inBrowser('N-81 a wallet that does not know the chain is asked to add it, and only then', async (t) => {
  const s = await shop(app)
  const { page, asked, wallet } = await atPay(t, `/r/${s.resId}`, 'eth', {})
  const button = page.getByRole('button', { name: 'Pay with your wallet' })
  const elsewhere = { code: 0, chain: '0x89', switches: 4902 }
  const methods = () => asked.splice(0).map(({ method }) => method.replace(/^(eth|wallet)_/, ''))
  await wallet({ ...elsewhere, switches: 4001 })
  await button.click()
  await page.getByText(/You have declined/).waitFor()
  t.false(methods().includes('addEthereumChain'), 'who declines to go there is not asked to add it')
  await wallet({ ...elsewhere, adds: 4001 })
  await button.click()
  await page.getByText(/You have declined/).waitFor()
  await wallet({ ...elsewhere, adds: 'lies' })
  await button.click()
  await page.getByText(/not on the Ethereum network/).waitFor()
  t.is(await app.anvil.balanceOf(s.address), 0n)
  asked.splice(0)
  for (const [adds, way] of [
    ['there', ['switchEthereumChain', 'addEthereumChain', 'chainId']],
    ['stays', ['switchEthereumChain', 'addEthereumChain', 'chainId', 'switchEthereumChain']],
  ] as const) {
    // It declines in the end, so that it can be asked again.
    await wallet({ ...elsewhere, adds, code: 4001 })
    await button.click()
    await page.getByText(/You have declined/).waitFor()
    const added = asked.find(({ method }) => method === 'wallet_addEthereumChain')?.params?.[0]
    t.like(added, { chainId: `0x${app.anvil.chainId.toString(16)}`, chainName: 'Ethereum' })
    t.deepEqual(methods(), ['requestAccounts', 'chainId', ...way, 'chainId', 'sendTransaction'])
  }
  await wallet({ ...elsewhere, adds: 'there' })
  await button.click()
  await page.getByRole('heading', { name: 'Payment seen' }).waitFor({ timeout: SEEN_MS })
})

inBrowser('N-81 without a wallet, without script and for what is only played, nothing of it is shown', async (t) => {
  const s = await shop(app)
  const played = (await ok(app.call('POST', '/v1/resources', { key: s.key, body: { amount: 5, test: true } }))).json
  const places: [door: string, options: object, wallet: object | undefined][] = [
    [`/r/${s.resId}`, {}, undefined],
    [`/r/${s.resId}`, { javaScriptEnabled: false }, undefined],
    [`/r/${played.res_id}`, {}, {}],
  ]
  for (const [door, options, wallet] of places) {
    const { page } = await atPay(t, door, 'eth', wallet, options)
    await page.getByText('Waiting for your payment').waitFor()
    t.false(await page.locator('[data-wallet]').isVisible())
  }
})

type Call = { readonly method: string; readonly params?: readonly unknown[] }

/** The page that asks for a coin, in a browser that has such wallets; without a wish, one that has none. */
const atPay = async (t: ExecutionContext, door: string, asset: string, wish?: object, options: object = {}) => {
  const context = await browser.newContext(options)
  t.teardown(() => context.close())
  const asked: Call[] = []
  // The chain of the test has the payer's key.
  await context.exposeFunction('signed', (call: Call) => app.anvil.client.request(call as never))
  await context.exposeFunction('noted', (call: Call) => asked.push(call) > 0)
  if (wish) await context.addInitScript(wallets, { ...wish, payer: app.anvil.payer, home: app.anvil.chainId })
  const { page, wrong } = await openPage(context)
  await page.goto(`${app.served().origin}${await choose(app, door, asset)}`)
  const wallet = (told: object) => page.evaluate((given) => Object.assign(globalThis, { wallet: given }), told)
  return { page, wrong, asked, wallet }
}

type Wish = { names?: readonly string[]; code?: number; payer: string; home: number }

/** Runs in the browser before the scripts of the page: wallets that note what they are asked, and do as told. */
const wallets = ({ names, payer, home }: Wish) => {
  const here = globalThis as unknown as {
    wallet?: { code?: number; message?: string; chain?: string; switches?: number | string; adds?: number | string }
    signed(call: object): Promise<string>
    noted(call: object): Promise<boolean>
    ethereum?: object
  } & EventTarget
  const refuse = (code: number, message = 'no') => Object.assign(new Error(message), { code })
  const request = async (call: { method: string; params?: unknown[] }) => {
    await here.noted(call)
    here.wallet ??= {}
    const { wallet } = here
    if (call.method === 'eth_requestAccounts') return [payer]
    if (call.method === 'eth_chainId') return wallet.chain ?? `0x${home.toString(16)}`
    if (call.method === 'wallet_switchEthereumChain') {
      if (typeof wallet.switches === 'number') throw refuse(wallet.switches)
      if (wallet.switches === 'yes') wallet.chain = `0x${home.toString(16)}`
      return null
    }
    if (call.method === 'wallet_addEthereumChain') {
      if (typeof wallet.adds === 'number') throw refuse(wallet.adds)
      if (wallet.adds === 'there') wallet.chain = `0x${home.toString(16)}`
      if (wallet.adds === 'stays') wallet.switches = 'yes'
      return null
    }
    if (wallet.code) throw refuse(wallet.code, wallet.message)
    return here.signed(call)
  }
  if (!names) here.ethereum = { request }
  for (const name of names ?? []) {
    const detail = { info: { uuid: name, name, rdns: 'test', icon: 'data:,' }, provider: { request } }
    here.addEventListener('eip6963:requestProvider', () =>
      here.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail })),
    )
  }
}

const addressOf = (page: Page): string => {
  const { pathname, search } = new URL(page.url())
  return pathname + search
}
