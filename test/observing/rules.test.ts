/** What rules, dashboard and guide say of the metrics, held against those that there are. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { Registry } from 'prom-client'
import { parse } from 'yaml'
import { dashboard, dashboardJson } from '../../src/catalogue/dashboard.ts'
import { businessCounters } from '../../src/monitoring/business.ts'
import { createMetrics, type GaugeSources } from '../../src/monitoring/metrics.ts'
import { ROOT } from '../support/source-files.ts'

type Rule = {
  readonly alert: string
  readonly expr: string
  readonly labels: { readonly severity: string }
  readonly annotations: Readonly<Record<string, string>>
}
type RuleTest = {
  readonly name: string
  readonly alert_rule_test: readonly { readonly alertname: string; readonly exp_alerts: readonly unknown[] }[]
}

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')
const rules: readonly Rule[] = parse(read('deploy/prometheus/alerts.yml')).groups.flatMap(
  (group: { rules: Rule[] }) => group.rules,
)
const guide = read('docs/operations.md')

/** The names of all metrics. Nobody looks at them, so nothing is asked of what they come from. */
const metricNames = (): readonly string[] => {
  const registry = new Registry()
  businessCounters(registry)
  const sources = { mirror: {}, cuts: {}, reading: {}, processes: {}, installation: {}, backups: {} }
  createMetrics(registry, sources as GaugeSources)
  return registry.getMetricsAsArray().flatMap(({ name, type }) =>
    // The library numbers its kinds of metric in its types, and names them.
    String(type) === 'histogram' ? [name, `${name}_bucket`, `${name}_count`, `${name}_sum`] : [name],
  )
}

const namesIn = (text: string): readonly string[] => text.match(/\bdaybook_\w+/g) ?? []

test('N-142 N-145 every metric of a rule or of the dashboard is one that there is', (t) => {
  const known = new Set(metricNames())
  const asked = [...rules.map(({ expr }) => expr), JSON.stringify(dashboard())].flatMap(namesIn)
  t.true(asked.length > 40, String(asked.length))
  t.deepEqual(
    asked.filter((name) => !known.has(name)),
    [],
  )
})

test('N-140 the operations guide says what each metric means', (t) => {
  const own = metricNames().filter((name) => name.startsWith('daybook_') && !/_(bucket|count|sum)$/.test(name))
  t.true(own.length > 50, String(own.length))
  t.deepEqual(
    own.filter((name) => !new RegExp(`\`${name}\``).test(guide)),
    [],
  )
})

test('N-142 each alert leads to a heading of the operations guide, and is tried by promtool', (t) => {
  const headings = new Set(
    [...guide.matchAll(/^#+ (.*)$/gm)].map(([, text = '']) => text.toLowerCase().replaceAll(' ', '-')),
  )
  const { tests } = parse(read('deploy/prometheus/alerts.test.yml')) as { tests: RuleTest[] }
  const peace = tests.find(({ name }) => name === 'peace')?.alert_rule_test ?? []
  for (const { alert, annotations, labels } of rules) {
    const [file, heading] = String(annotations.runbook).split('#')
    t.is(file, 'docs/operations.md')
    t.true(headings.has(String(heading)), `${alert}: ${heading}`)
    t.true(['warning', 'critical'].includes(labels.severity), alert)
    t.truthy(annotations.summary, alert)
    t.true(
      tests.some((each) => each.alert_rule_test.some((at) => at.alertname === alert && at.exp_alerts.length > 0)),
      alert,
    )
    t.true(
      peace.some((at) => at.alertname === alert && at.exp_alerts.length === 0),
      alert,
    )
  }
})

test('N-145 the dashboard is the one that the sources describe, and none of its panels covers another', (t) => {
  t.is(read('deploy/grafana/daybook.json'), dashboardJson())
  const { panels = [] } = dashboard()
  const places = panels.map(({ gridPos }) => `${gridPos?.x},${gridPos?.y}`)
  t.is(new Set(places).size, panels.length)
  t.is(new Set(panels.map(({ id }) => id)).size, panels.length)
})

test('N-140 no label of the business has the id of anybody, and an event that cannot be read is not looked at', async (t) => {
  const registry = new Registry()
  const { count } = businessCounters(registry)
  const event = { id: 'e', stream: 's-1', revision: 0n, position: 0n, order: 0n, at: '2026-03-02T10:00:10.000Z' }
  const cause = { actor: 'a', correlationId: 'c' }
  const transfer = { network: 'eth', minedAt: '2026-03-02T10:00:00.000Z' }
  const settled = { asset: '0xSellersOwnToken', transfer, usd: '1500000', test: false }
  const unreadable = Object.defineProperty({ ...event, cause, type: 'CreditDebited', unreadable: 'broken' }, 'data', {
    get: () => {
      throw new Error('looked at')
    },
  })
  count([
    { ...event, cause, type: 'ChallengeSettled', data: settled },
    { ...event, cause, type: 'DeliveryFailed', data: { status: 500, reason: null } },
    { ...event, cause, type: 'DeliveryFailed', data: { status: null, reason: 'total-timeout' } },
    { ...event, cause, type: 'DeliveryFailed', data: { status: null, reason: 'webhook-cleared' } },
    unreadable as never,
  ])
  const text = await registry.metrics()
  for (const line of [
    'daybook_settlements_total{rail="transfer",asset="custom",mode="live"} 1',
    'daybook_settled_usd_total{rail="transfer",mode="live"} 1.5',
    'daybook_block_to_settled_seconds_sum{network="eth"} 10',
    'daybook_webhooks_total{result="refused"} 1',
    'daybook_webhooks_total{result="unanswered"} 1',
    'daybook_webhooks_total{result="skipped"} 1',
  ])
    t.true(text.includes(`${line}\n`), line)
  t.false(text.includes('SellersOwn'))
})
