import { html } from 'htm/preact'
import { renderToString } from 'preact-render-to-string'
import { dashboardHead } from './frame.ts'
import { localeFor } from './messages/locale.ts'
import { address, COPY_SCRIPT } from './parts/address.ts'
import { type Chart, chart } from './parts/chart.ts'
import { coin, money, time } from './parts/figures.ts'
import { filterBar } from './parts/filter-bar.ts'
import { formRow } from './parts/form-row.ts'
import { LIVE_SCRIPT, live } from './parts/live.ts'
import { chip, dialog, emptyState, notice } from './parts/notices.ts'
import { pager } from './parts/pager.ts'
import { table } from './parts/table.ts'

/** Every part of the dashboard on one page, for whoever builds screens (development only). */
export const partsPage = (languages: string): string => {
  const locale = localeFor({ languages })
  return `<!doctype html>${renderToString(html`
    <html lang=${locale.lang}>
      ${dashboardHead('Parts', [COPY_SCRIPT, LIVE_SCRIPT])}
      <body class="dashboard">
        <header class="rail"><p class="mark">Daybook</p></header>
        <main id="main">
          <h1>Parts</h1>
          ${samples(locale).map(([name, part]) => html`<section class="card"><h2>${name}</h2>${part}</section>`)}
        </main>
      </body>
    </html>
  `)}`
}

const SALES = [
  { what: 'Green tea', at: '2026-03-02T10:00:00.000Z', units: 12_500_000n },
  { what: 'Teapot', at: '2026-03-03T16:30:00.000Z', units: 1_234_567_890n },
]
const ADDRESS = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const STATUSES = [['', 'All'] as const, ['C', 'Completed'] as const, ['P', 'Pending'] as const]

const samples = (locale: ReturnType<typeof localeFor>): readonly (readonly [name: string, part: unknown])[] => [
  [
    'Table',
    table(
      'Sales',
      [
        { title: 'What', cell: ({ what }) => what },
        { title: 'When', cell: ({ at }) => time(locale, at) },
        { title: 'Amount', number: true, cell: ({ units }) => money(locale, units, 'USD') },
      ],
      SALES,
    ),
  ],
  ['Pager', pager(locale, { older: '?before=1', newest: '?' })],
  [
    'Filter bar',
    filterBar(locale, '/dev/parts', 'Sales', [
      { name: 'q', label: 'Search', type: 'search' },
      { name: 'status', label: 'Status', options: STATUSES },
      { name: 'from', label: 'From', type: 'date' },
    ]),
  ],
  ['Form row', formRow({ name: 'title', label: 'Title', hint: 'What buyers read.', error: 'This is empty.' })],
  ['Coin', coin(locale, 40_000_002_000_000_000n, { decimals: 18, symbol: 'ETH' })],
  [
    'Address',
    address(locale, { network: 'Ethereum', address: ADDRESS, explorer: `https://etherscan.io/address/${ADDRESS}` }),
  ],
  ['Chip', html`${chip('Completed', 'good')} ${chip('Pending', 'warn')} ${chip('Rejected', 'bad')} ${chip('Draft')}`],
  ['Notice', html`${notice('It is saved.')} ${notice('It could not be saved.', 'bad')}`],
  [
    'Empty state',
    emptyState('No payments yet', 'Payments show here as they come.', { href: '#', label: 'Set a price' }),
  ],
  ['Live rows', live({ id: 'live-sales', kinds: ['transaction'] }, html`<p>Read anew as payments change.</p>`)],
  ['Dialog', dialog('Refund', html`<p>This cannot be taken back.</p><button type="button">Refund</button>`)],
  ['Chart', chart(locale, chartSample(locale))],
]

const chartSample = (locale: ReturnType<typeof localeFor>): Chart => ({
  title: 'Sold',
  of: 'Day',
  whole: 'All',
  series: [
    ['Ether', '24'],
    ['Bitcoin', '7'],
  ],
  bars: [3, 8, 5, 13, 2].map((value, i) => ({
    label: `Day ${i + 1}`,
    parts: [value - i / 2, i / 2],
    text: locale.number(value),
    texts: [locale.number(value - i / 2), locale.number(i / 2)],
  })),
  top: '13',
})
