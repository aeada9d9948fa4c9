import { assetOf } from '../../domain/kernel/assets.ts'
import type { JournalFormat } from './format.ts'
import { headOf } from './head.ts'
import { beancountAccount, beancountCurrency, fullDecimal, inertText, inertTime, knownDecimals } from './names.ts'

/**
 * The journal for beancount, whose names are narrower: the metadata of each account and commodity tells its name here.
 */

export const beancountFormat: JournalFormat = {
  // Without the option beancount lets an error of half a unit of the last written digit pass.
  head: (selection) =>
    [headOf(selection), 'option "inferred_tolerance_multiplier" "0"', 'option "operating_currency" "USD"', '\n'].join(
      '\n',
    ),
  declares: {
    account: (account, since) =>
      `${since.slice(0, 10)} open ${beancountAccount(account)}\n  account: "${inertText(account)}"\n`,
    asset: (asset, since) => {
      const name = assetOf(asset)?.name
      return `${since.slice(0, 10)} commodity ${beancountCurrency(asset)}\n  asset: "${inertText(asset)}"\n${name ? `  name: "${inertText(name)}"\n` : ''}`
    },
  },
  entry: ({ at, type, event, tags = [], price, isInert }) => {
    const place =
      event &&
      `  position: "${event.position}"\n  event: "${inertText(event.id, isInert)}"\n  stream: "${inertText(event.stream, isInert)}"\n`
    let also = ''
    for (const [name, value] of tags) also += `  ${name}: "${inertText(value, isInert)}"\n`
    const worth = price
      ? `\n${at.slice(0, 10)} price ${beancountCurrency(price.asset)} ${price.rate} ${beancountCurrency(price.currency)}\n`
      : ''
    return `${worth}\n${at.slice(0, 10)} * "${inertText(type, isInert)}"\n  time: "${inertTime(at)}"\n${place ?? ''}${also}`
  },
  posting: ({ account, asset, units, tags = [], isInert }) => {
    let worth = ''
    for (const [name, value] of tags) worth += `    ${name}: "${inertText(value, isInert)}"\n`
    return `  ${beancountAccount(account)}  ${fullDecimal(units, knownDecimals(asset))} ${beancountCurrency(asset)}\n${worth}`
  },
  join: '',
  end: '',
}
