import { html } from 'htm/preact'
import type { Reply } from '../../../core/endpoint.ts'
import { hiddenFields } from '../../people/fields.ts'
import { dashboardPage, type PageMember } from '../frame.ts'
import { localeFor } from '../messages/locale.ts'
import { COPY_SCRIPT } from '../parts/address.ts'
import { choiceRow, linesRow } from '../parts/other-rows.ts'
import type { CoinChoice } from './wallets.ts'

/** The forms for where a coin is received. */

type Faults = Readonly<Record<string, string>>

type AddressPage = {
  readonly member: PageMember
  readonly coins: readonly CoinChoice[]
  /** The coin whose addresses they are; undefined while it is to be chosen. */
  readonly coin: CoinChoice | undefined
  readonly addresses: string
  readonly faults: Faults | undefined
  readonly checkAt: string
}

/** Characters of all the addresses of a coin, and of a signature. */
const LIST_MAX = 10_000
const SIGNATURE_MAX = 40_000

export const addressPage = ({ member, coins, coin, addresses, faults, checkAt }: AddressPage): Reply => {
  const { wallets: words } = localeFor(member).words
  const options = coins.map(({ code, name, network }) => [code, `${name} – ${network}`] as const)
  return dashboardPage({
    ...(faults && { status: 422 }),
    title: coin ? words.addressesOf(coin.name) : words.add,
    member,
    current: 'wallets',
    scripts: ['dashboard/check.js'],
    main: html`
      <p>${coin ? words.network(coin.name, coin.network) : words.choose}</p>
      <form method="post" action="/dashboard/wallets/address" class="narrow">
        ${hiddenFields({ csrf: member.csrf })}
        ${choiceRow({ name: 'asset', label: words.coin, value: coin?.code, options, error: faults?.asset })}
        ${linesRow({
          name: 'addresses',
          label: words.addresses,
          hint: words.addressesHint,
          value: addresses,
          error: faults?.addresses,
          lines: 3,
          maxlength: LIST_MAX,
          checkAt,
        })}
        <p class="buttons"><button type="submit">${words.save}</button> <a class="touch" href="/dashboard/wallets">${words.back}</a></p>
      </form>
    `,
  })
}

type ProofPage = {
  readonly member: PageMember
  readonly coin: CoinChoice
  readonly address: string
  readonly text: string
  readonly payload: string
  /** How addresses of the network sign. */
  readonly method: string
  readonly signature?: string
  readonly faults?: Faults
}

export const proofPage = ({ member, coin, address, text, payload, method, signature, faults }: ProofPage): Reply => {
  const locale = localeFor(member)
  const { wallets: words, parts } = locale.words
  const lines = text.split('\n').length
  return dashboardPage({
    ...(faults && { status: 422 }),
    title: words.proofOf(coin.name),
    member,
    current: 'wallets',
    scripts: [COPY_SCRIPT],
    main: html`
      <p>${words.proofText}</p>
      <p><code class="long">${address}</code></p>
      <p class="hint" lang="en">${method}</p>
      <form method="post" action="/dashboard/wallets/proof" class="wide">
        ${hiddenFields({ csrf: member.csrf, asset: coin.code, address })}
        ${linesRow({ name: 'text', label: words.toSign, value: text, lines, maxlength: LIST_MAX, isFixed: true })}
        <p>
          <button type="button" class="plain" data-copy=${text} data-copied=${parts.copied} aria-label=${`${parts.copy}: ${words.toSign}`} hidden>
            ${parts.copy}
          </button>
        </p>
        ${method.includes('ton_proof') && html`<p>${words.payload} <code class="long">${payload}</code></p>`}
        ${linesRow({
          name: 'signature',
          label: words.signature,
          value: signature,
          error: faults?.signature,
          maxlength: SIGNATURE_MAX,
        })}
        <p class="buttons"><button type="submit">${words.proveButton}</button> <a class="touch" href="/dashboard/wallets">${words.back}</a></p>
      </form>
    `,
  })
}
