/* The books: what every account of the seller holds as of a day, how that came to be, and each posting behind it. */

import { ask } from './api.js'
import { chart, sparkline } from './charts.js'
import {
  amountOf,
  begin,
  empty,
  failed,
  fieldsOf,
  fill,
  firstTime,
  go,
  h,
  idOf,
  linkTo,
  nameOf,
  placesOf,
  setFields,
  timeOf,
} from './dom.js'

const POINTS = 30
const PAGE = 50

export const showBooks = async (section, params, signal) => {
  const form = section.querySelector('form')
  const body = section.querySelector('.body')
  firstTime(section, () => prepare(form))
  setFields(form, params)
  const { as_of, account, asset, after } = params
  begin(body, 'Adding up the books')
  const [books, series] = await Promise.all([
    ask('/v1/audit/books', { as_of }, signal),
    ask('/v1/audit/books/series', { to: as_of, points: POINTS }, signal),
  ])
  if (books.accounts.length === 0) {
    fill(
      body,
      empty(
        'Nothing is booked',
        as_of ? 'No money had moved in your account by then.' : 'No money has moved in your account yet.',
      ),
    )
    return
  }
  const detail = h('div', { class: 'detail' })
  fill(body, summary(books), trialBalance(books, series, { as_of, account, asset }), detail)
  const known = account && series.series.find((each) => each.account === account && each.asset === asset)
  if (account)
    await statement(detail, { as_of, account, asset, after }, known && { ...known, times: series.times }, signal)
}

const summary = ({ as_of }) => h('p', { class: 'hint' }, as_of ? ['As of ', timeOf(as_of), ' UTC.'] : 'As of now.')

const trialBalance = ({ accounts, totals }, { series }, { as_of, account, asset }) => {
  const places = (code) =>
    placesOf(
      code,
      accounts.filter((row) => row.asset === code).map(({ value }) => value),
    )
  const lineOf = (row) => series.find((each) => each.account === row.account && each.asset === row.asset)
  const one = (row) => {
    const isOpen = row.account === account && row.asset === asset
    return h(
      'tr',
      { class: isOpen && 'open' },
      h(
        'th',
        { scope: 'row' },
        h(
          'a',
          {
            href: linkTo('books', { as_of, account: row.account, asset: row.asset }),
            'aria-current': isOpen && 'true',
          },
          titleOf(row.account),
        ),
      ),
      h('td', {}, row.asset),
      h('td', { class: 'trend' }, lineOf(row) && sparkline(lineOf(row).values)),
      h('td', { class: 'number' }, amountOf(row.value, places(row.asset))),
    )
  }
  return h(
    'table',
    { class: 'ledger' },
    h('caption', { class: 'unseen' }, 'Trial balance'),
    h(
      'thead',
      {},
      h(
        'tr',
        {},
        heads.map(([text, kind]) => h('th', { scope: 'col', class: kind }, text)),
      ),
    ),
    h('tbody', {}, accounts.map(one)),
    h(
      'tfoot',
      {},
      totals
        .filter(({ asset: code }) => accounts.filter((row) => row.asset === code).length > 1)
        .map((sum) => total(sum, places(sum.asset))),
    ),
  )
}
/** The sum of an asset that stands in several accounts. */
const total = ({ asset, value }, places) =>
  h(
    'tr',
    {},
    h('th', { scope: 'row' }, 'Together'),
    h('td', {}, asset),
    h('td', { class: 'trend' }),
    h('td', { class: 'number' }, amountOf(value, places)),
  )

const heads = [['Account'], ['Asset'], ['Trend', 'trend'], ['Balance', 'number']]

/** The part of an account’s name that the seller knows it by. */
const titleOf = (account) => NAMES[account.split(':').at(-1)] ?? account
const NAMES = {
  credit: 'Prepaid credit',
  owed: 'Bills not covered',
  wallet: 'Coins on own addresses',
  buyers: 'Buyers',
  fees: 'Fees of Daybook',
  sales: 'Seats and packs',
  grants: 'Given by Daybook',
  'top-ups': 'Topped up',
}

const statement = async (detail, { as_of, account, asset, after }, line, signal) => {
  begin(detail, 'Reading the statement')
  try {
    const page = await ask('/v1/audit/books/statement', { account, asset, to: as_of, after, limit: PAGE }, signal)
    const title = `${titleOf(account)}, ${asset}`
    fill(
      detail,
      h('h2', {}, title),
      h('p', { class: 'hint' }, idOf(account)),
      line && chart(`${title}: 30 days`, asset, line.times, line.values),
      postings(page, after),
      pager(page, { as_of, account, asset, after }),
    )
  } catch (error) {
    if (!signal.aborted) fill(detail, failed(error))
  }
}

const pager = ({ next }, { after, ...where }) =>
  h(
    'nav',
    { class: 'pager', 'aria-label': 'Pages' },
    after && h('a', { class: 'button plain', href: linkTo('books', where) }, 'From the beginning'),
    next && h('a', { class: 'button plain', href: linkTo('books', { ...where, after: next }) }, 'Later'),
  )

/** The postings, oldest first, as statements of accounts have them, with the balance before and after. */
const postings = ({ asset, opening, lines, closing, next }, after) => {
  const places = placesOf(asset, [opening, closing, ...lines.flatMap(({ value, balance }) => [value, balance])])
  const number = (value) => h('td', { class: 'number' }, value === undefined ? '' : amountOf(value, places))
  const total = (text, value) =>
    h('tr', { class: 'total' }, h('td', {}), h('th', { scope: 'row' }, text), number(), number(value))
  return h(
    'table',
    { class: 'ledger' },
    h('caption', { class: 'unseen' }, 'Statement'),
    h(
      'thead',
      {},
      h(
        'tr',
        {},
        STATEMENT.map(([text, kind]) => h('th', { scope: 'col', class: kind }, text)),
      ),
    ),
    h(
      'tbody',
      {},
      total(after ? 'Brought forward' : 'Opening', opening),
      lines.map(({ at, type, event_id, value, balance, others }) =>
        h(
          'tr',
          {},
          h('td', { class: 'when' }, timeOf(at)),
          h(
            'td',
            {},
            h('a', { href: linkTo('timeline', { q: event_id }) }, nameOf(type)),
            h('span', { class: 'hint others' }, others.map(titleOf).join(', ')),
          ),
          number(value),
          number(balance),
        ),
      ),
      total(next ? 'Carried forward' : 'Closing', closing),
    ),
  )
}
const STATEMENT = [['Time (UTC)'], ['What happened'], ['Amount', 'number'], ['Balance', 'number']]

const prepare = (form) => {
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    go(linkTo('books', fieldsOf(form)))
  })
  form.addEventListener('reset', (event) => {
    event.preventDefault()
    go('#/books')
  })
}
