import { html } from 'htm/preact'
import type { Reply } from '../../../core/endpoint.ts'
import { hiddenFields } from '../../people/fields.ts'
import { dashboardPage, type PageMember } from '../frame.ts'
import { localeFor } from '../messages/locale.ts'
import { formRow } from '../parts/form-row.ts'
import { dialog, notice } from '../parts/notices.ts'
import { choiceRow } from '../parts/other-rows.ts'

/** Tokens of the account's own. */

/** The fields of a new token, by the names that the API gives them. */
export const TOKEN_FIELDS = ['type', 'code', 'name', 'contract_address', 'decimals', 'rate', 'rate_url'] as const

export type TokenValues = { readonly [name in (typeof TOKEN_FIELDS)[number]]?: string }

type TokensPage = {
  readonly member: PageMember
  /** The kinds of tokens that the connected networks have. */
  readonly types: readonly string[]
  readonly tokens: readonly { readonly code: string; readonly name: string }[]
  readonly values: TokenValues
  readonly faults: Readonly<Record<string, string>> | undefined
}

const PATH = '/dashboard/wallets/tokens'

export const tokensPage = ({ member, types, tokens, values, faults }: TokensPage): Reply => {
  const { wallets: shared, tokens: words } = localeFor(member).words
  const row = (name: Exclude<keyof TokenValues, 'type'>, label: string, hint: string, required = true) =>
    formRow({ name, label, hint, required, value: values[name], error: faults?.[name] })
  return dashboardPage({
    ...(faults && { status: 422 }),
    title: words.title,
    member,
    current: 'wallets',
    main: html`
      ${notice(faults?.list, 'bad')}
      ${tokens.map(({ code, name }) => deletion(member.csrf, words.delete, words.deleteOf(name, code), code))}
      <p>${words.about}</p>
      <form method="post" action=${PATH} class="narrow">
        ${hiddenFields({ csrf: member.csrf, act: 'add' })}
        ${choiceRow({
          name: 'type',
          label: words.type,
          value: values.type,
          error: faults?.type,
          options: types.map((each) => [each, each] as const),
        })}
        ${row('code', words.code, words.codeHint)} ${row('name', words.name, words.nameHint)}
        ${row('contract_address', words.contract, words.contractHint)} ${row('decimals', words.decimals, words.decimalsHint)}
        ${row('rate', words.rate, words.rateHint, false)} ${row('rate_url', words.rateUrl, words.rateUrlHint, false)}
        <p class="buttons"><button type="submit">${words.add}</button> <a class="touch" href="/dashboard/wallets">${shared.back}</a></p>
      </form>
    `,
  })
}

const deletion = (csrf: string, label: string, text: string, code: string) =>
  dialog(
    `${label} ${code}`,
    html`
      <form method="post" action=${PATH}>
        ${hiddenFields({ csrf, act: 'remove', code })}
        <p>${text}</p>
        <button type="submit">${label}</button>
      </form>
    `,
  )
