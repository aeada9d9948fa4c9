import type { Dashboard, Panel } from '@grafana/schema'

/** The dashboard of Grafana for an installation: money first, then who waits for it, then what it stands on. */

type Query = { readonly expr: string; readonly legend: string }
type Graph = { readonly title: string; readonly unit?: string; readonly queries: readonly Query[] }

/** The data source is chosen at the top of the dashboard. */
const SOURCE = { type: 'prometheus', uid: '$source' }
const COLUMNS = 24
const [WIDTH, HEIGHT] = [8, 7]

const one = (title: string, expr: string, legend: string, unit = 'short'): Graph => ({
  title,
  unit,
  queries: [{ expr, legend }],
})

/** Sums over processes, since each event is counted in one of them. */
const rate = (metric: string, by: string, selector = '') =>
  `sum by (${by}) (increase(${metric}${selector}[$__rate_interval]))`

const GRAPHS: readonly Graph[] = [
  one('Settled payments', rate('daybook_settlements_total', 'rail, asset', '{mode="live"}'), '{{rail}} {{asset}}'),
  one('Settled, US dollars', rate('daybook_settled_usd_total', 'rail', '{mode="live"}'), '{{rail}}', 'currencyUSD'),
  one('Fees, US dollars', rate('daybook_fees_usd_total', 'reason'), '{{reason}}', 'currencyUSD'),
  one('Challenges opened', rate('daybook_challenges_opened_total', 'mode'), '{{mode}}'),
  one('Money that settles nothing', rate('daybook_unmatched_payments_total', 'reason'), '{{reason}}'),
  {
    title: 'From block to settled',
    unit: 's',
    queries: [0.5, 0.95].map((share) => ({
      expr: `histogram_quantile(${share}, sum by (le, network) (rate(daybook_block_to_settled_seconds_bucket[$__rate_interval])))`,
      legend: `{{network}} ${share}`,
    })),
  },
  one('Webhooks', rate('daybook_webhooks_total', 'result'), '{{result}}'),
  one('Notices to apps', rate('daybook_app_notices_total', 'result'), '{{result}}'),
  one('Letters', rate('daybook_letters_total', 'result'), '{{result}}'),
  one('Sign-ins', rate('daybook_sign_ins_total', 'place, result'), '{{place}} {{result}}'),
  one('Mandates', rate('daybook_mandates_total', 'what'), '{{what}}'),
  one('Refused because of a cap', rate('daybook_cap_refusals_total', 'cap'), '{{cap}}'),
  one('Signed payments', rate('daybook_x402_payments_total', 'result'), '{{result}}'),
  one('Calls with a signed payment', rate('daybook_x402_calls_total', 'result'), '{{result}}'),
  one('Refusals', `topk(8, ${rate('daybook_refusals_total', 'code')})`, '{{code}}'),
  one(
    'Calls a second by status',
    'sum by (status) (rate(daybook_http_request_seconds_count[$__rate_interval]))',
    '{{status}}',
    'reqps',
  ),
  one(
    'Time to answer, 95 of 100',
    'histogram_quantile(0.95, sum by (le, route) (rate(daybook_http_request_seconds_bucket[$__rate_interval])))',
    '{{route}}',
    's',
  ),
  one('Ready', 'daybook_ready', '{{instance}}'),
  one('Age of the newest block', 'max by (network) (daybook_chain_head_age_seconds)', '{{network}}', 's'),
  one('Blocks to read', 'max by (network) (daybook_chain_cursor_behind_blocks)', '{{network}}'),
  one('Coin of relayers', 'max by (network) (daybook_relayer_balance)', '{{network}}'),
  one(
    'Positions that followers are behind',
    'topk(8, max by (follower) (daybook_follower_lag_positions))',
    '{{follower}}',
  ),
  one('Followers that stand still', 'topk(8, max by (follower) (daybook_follower_stuck_seconds))', '{{follower}}', 's'),
  one('Oldest event without a seal', 'max(daybook_seal_waiting_seconds)', 'waits', 's'),
  one('Parts that fit', 'min by (part) (daybook_parts_fit)', '{{part}}'),
  {
    title: 'Disk',
    unit: 'bytes',
    queries: [
      { expr: 'daybook_disk_free_bytes', legend: 'free {{instance}}' },
      { expr: 'daybook_disk_size_bytes', legend: 'size {{instance}}' },
    ],
  },
  one('Memory', 'process_resident_memory_bytes{job="daybook"}', '{{instance}}', 'bytes'),
]

export const dashboard = (): Dashboard => ({
  uid: 'daybook',
  title: 'Daybook',
  description: 'docs/operations.md says what each metric means.',
  tags: ['daybook'],
  schemaVersion: 41,
  editable: true,
  time: { from: 'now-24h', to: 'now' },
  refresh: '1m',
  timezone: 'utc',
  templating: {
    list: [{ name: 'source', label: 'Prometheus', type: 'datasource', query: 'prometheus' }],
  },
  panels: GRAPHS.map(panelOf),
})

const panelOf = ({ title, unit = 'short', queries }: Graph, index: number): Panel => {
  const perRow = COLUMNS / WIDTH
  return {
    id: index + 1,
    type: 'timeseries',
    title,
    datasource: SOURCE,
    gridPos: { x: (index % perRow) * WIDTH, y: Math.floor(index / perRow) * HEIGHT, w: WIDTH, h: HEIGHT },
    fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
    options: { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi', sort: 'desc' } },
    targets: queries.map(({ expr, legend }, n) => ({
      refId: String.fromCharCode('A'.charCodeAt(0) + n),
      datasource: SOURCE,
      expr,
      legendFormat: legend,
    })),
  }
}

/** The file that Grafana reads. */
export const dashboardJson = (): string => `${JSON.stringify(dashboard(), undefined, 2)}\n`
