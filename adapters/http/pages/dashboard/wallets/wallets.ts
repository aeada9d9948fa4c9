import { html } from 'htm/preact'
import type { ReceivedRow } from '../../../../../projections/selling/received.ts'
import type { Reply } from '../../../core/endpoint.ts'
import { hiddenFields } from '../../people/fields.ts'
import { symbolOf } from '../../plain-words.ts'
import { qrCode } from '../../qr.ts'
import { dashboardPage, type PageMember } from '../frame.ts'
import type { Messages } from '../messages/en.ts'
import { type Locale, localeFor } from '../messages/locale.ts'
import { address, COPY_SCRIPT } from '../parts/address.ts'
import { time } from '../parts/figures.ts'
import { chip, dialog, emptyState, notice } from '../parts/notices.ts'
import { table } from '../parts/table.ts'

/** Where the account receives each coin. */

/** A coin by its code, as people call it and its network. */
export type CoinChoice = { readonly code: string; readonly name: string; readonly network: string }

export type WalletFacts = CoinChoice & {
  readonly addresses: readonly string[]
  readonly active: boolean
  /** What came to it; undefined before its first payment. */
  readonly received: ReceivedRow | undefined
}

type TokenFacts = CoinChoice & { readonly contract: string }

type WalletsPage = {
  readonly member: PageMember
  readonly wallets: readonly WalletFacts[]
  readonly tokens: readonly TokenFacts[]
  readonly mayEdit: boolean
  /** What was just done. */
  readonly done?: keyof Messages['walletsDone'] | undefined
  /** Why something was not done. */
  readonly fault?: string | undefined
}

const PATH = '/dashboard/wallets'

export const walletsPage = ({ member, wallets, tokens, mayEdit, done, fault }: WalletsPage): Reply => {
  const locale = localeFor(member)
  const { wallets: words, walletsDone } = locale.words
  return dashboardPage({
    ...(fault !== undefined && { status: 422 }),
    title: words.title,
    member,
    current: 'wallets',
    scripts: [COPY_SCRIPT],
    main: html`
      ${notice(done && walletsDone[done])} ${notice(fault, 'bad')}
      <p>${words.about}</p>
      ${
        wallets.length === 0
          ? emptyState(words.none, words.noneText, mayEdit ? { href: `${PATH}/address`, label: words.add } : undefined)
          : mayEdit && html`<p><a class="button" href=${`${PATH}/address`}>${words.add}</a></p>`
      }
      ${wallets.map((wallet) => walletCard(locale, wallet, mayEdit ? member : undefined))}
      <section class="card" aria-labelledby="tokens">
        <h2 id="tokens">${words.tokens}</h2>
        <p>${words.tokensText}</p>
        ${tokens.length > 0 && tokenTable(locale, tokens)}
        ${mayEdit && html`<p><a href=${`${PATH}/tokens`}>${words.tokensWay}</a></p>`}
      </section>
    `,
  })
}

/** `editor`: the member who may change the wallet. */
const walletCard = (locale: Locale, wallet: WalletFacts, editor: PageMember | undefined) => {
  const { wallets: words } = locale.words
  const { code, name, network, addresses, active } = wallet
  const id = `wallet-${code}`
  return html`
    <section class="card wallet" aria-labelledby=${id}>
      <h2 id=${id}>${name} ${active ? chip(words.active, 'good') : chip(words.paused, 'warn')}</h2>
      <p class="hint">${words.network(name, network)}</p>
      ${receivedLine(locale, wallet)}
      <ul class="plain">
        ${addresses.map((each) => addressItem(locale, wallet, each, editor !== undefined))}
      </ul>
      ${editor && walletActs(words, wallet, editor)}
    </section>
  `
}

/** What came to a wallet, with the way to the payments themselves. */
const receivedLine = (locale: Locale, { code, received }: WalletFacts) => {
  const { wallets: words } = locale.words
  if (received === undefined) return html`<p>${words.nothingYet}</p>`
  const { units, decimals, payments, lastAt } = received
  return html`
    <p>
      ${words.received} <strong class="money">${locale.coin(BigInt(units), decimals, symbolOf(code))}</strong>${' '}
      <a href=${`/dashboard/payments?asset=${encodeURIComponent(code)}`}>${words.inPayments(payments)}</a>
      ${`, ${words.lastOn} `}${time(locale, lastAt)}
    </p>
  `
}

const addressItem = (locale: Locale, { code, name, network }: WalletFacts, each: string, mayEdit: boolean) => {
  const { wallets: words } = locale.words
  const proof = new URLSearchParams({ asset: code, address: each })
  return html`
    <li>
      <p>${address(locale, { network, address: each })}</p>
      ${dialog(words.compare, html`<p>${words.compareText}</p>${qrCode(each, words.code(name, each))}`)}
      ${mayEdit && html`<p><a class="touch" href=${`${PATH}/proof?${proof}`}>${words.prove}</a></p>`}
    </li>
  `
}

const walletActs = (
  words: Messages['wallets'],
  { code, name, active }: WalletFacts,
  { csrf, actor }: PageMember,
) => html`
  <div class="acts">
    <a class="touch" href=${`${PATH}/address?asset=${encodeURIComponent(code)}`} aria-label=${words.changeOf(name)}>${words.change}</a>
    <form method="post" action=${PATH}>
      ${hiddenFields({ csrf, asset: code, act: active ? 'pause' : 'resume' })}
      <button type="submit" class="plain" aria-label=${active ? words.pauseOf(name) : words.resumeOf(name)}>
        ${active ? words.pause : words.resume}
      </button>
    </form>
    ${
      actor.can('resources.edit') &&
      html`
        <form method="post" action="/dashboard/first-steps">
          ${hiddenFields({ csrf, asset: code, act: 'test-sale' })}
          <button type="submit" class="plain" aria-label=${words.testOf(name)}>${words.test}</button>
        </form>
      `
    }
    ${dialog(
      words.remove,
      html`
        <p>${words.removeText(name)}</p>
        <form method="post" action=${PATH}>
          ${hiddenFields({ csrf, asset: code, act: 'remove' })}
          <button type="submit">${words.removeOf(name)}</button>
        </form>
      `,
    )}
  </div>
`

const tokenTable = ({ words: { wallets: words } }: Locale, tokens: readonly TokenFacts[]) =>
  table(
    words.tokens,
    [
      { title: words.token, cell: ({ name, code }: TokenFacts) => `${name} (${code})` },
      { title: words.networkTitle, cell: ({ network }: TokenFacts) => network },
      { title: words.contract, cell: ({ contract }: TokenFacts) => html`<code>${contract}</code>` },
    ],
    tokens,
  )
