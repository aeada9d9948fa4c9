import { readdirSync, readFileSync } from 'node:fs'
import test from 'ava'
import type { StatefulSet } from 'kubernetes-types/apps/v1.js'
import type { Secret, Service } from 'kubernetes-types/core/v1.js'
import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1.js'
import { parseAllDocuments } from 'yaml'
import { type KubernetesObject, kubernetesFaults } from './kubernetes-types.ts'

const FOLDER = 'deploy/kubernetes'

const objects: readonly KubernetesObject[] = readdirSync(FOLDER).flatMap((file) =>
  parseAllDocuments(readFileSync(`${FOLDER}/${file}`, 'utf8')).map((document): KubernetesObject => document.toJS()),
)

const objectOf = <T>(kind: string, name = 'daybook'): T =>
  objects.find((object) => object.kind === kind && (object as Service).metadata?.name === name) as T

test('N-155 the manifests of Kubernetes are what its own types say', (t) => {
  t.deepEqual(kubernetesFaults(objects), [])
  const set = objectOf<StatefulSet>('StatefulSet')
  const wrong = JSON.parse(JSON.stringify(set).replace('readinessProbe', 'readynessProbe'))
  t.regex(String(kubernetesFaults([wrong])), /"readynessProbe".* does not exist/)
  t.regex(String(kubernetesFaults([{ ...set, spec: { ...set.spec, replicas: '3' } } as never])), /not assignable/)
})

test('N-155 three equal processes run without rights, and two of them stay', (t) => {
  const { spec } = objectOf<StatefulSet>('StatefulSet')
  const pod = spec?.template.spec
  const [container] = pod?.containers ?? []
  t.is(spec?.replicas, 3)
  t.is(objectOf<PodDisruptionBudget>('PodDisruptionBudget').spec?.minAvailable, 2)
  t.like(pod, { automountServiceAccountToken: false, securityContext: { runAsNonRoot: true } })
  t.deepEqual(container?.securityContext, {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  })
  t.is(container?.livenessProbe?.httpGet?.path, '/healthz')
  t.is(container?.readinessProbe?.httpGet?.path, '/readyz')
})

test('N-155 what a manifest names is there: ports, volumes, the service of the set, and a secret for each file', (t) => {
  const { spec } = objectOf<StatefulSet>('StatefulSet')
  const [container] = spec?.template.spec?.containers ?? []
  const ports = new Set(container?.ports?.map(({ name }) => name))
  const services = objects.filter((object): object is Service & KubernetesObject => object.kind === 'Service')
  for (const service of services)
    for (const { targetPort } of service.spec?.ports ?? []) t.true(ports.has(String(targetPort)), String(targetPort))
  t.truthy(objectOf('Service', spec?.serviceName))
  const volumes = new Set([
    ...(spec?.template.spec?.volumes ?? []).map(({ name }) => name),
    ...(spec?.volumeClaimTemplates ?? []).map(({ metadata }) => metadata?.name),
  ])
  for (const { name } of container?.volumeMounts ?? []) t.true(volumes.has(name), name)
  const mounted = container?.volumeMounts?.find(({ name }) => name === 'secrets')?.mountPath ?? ''
  const kept = Object.keys(objectOf<Secret>('Secret').stringData ?? {}).map((name) => `${mounted}/${name}`)
  const files = (container?.env ?? []).filter(({ name }) => name.endsWith('_FILE')).map(({ value = '' }) => value)
  t.true(files.length > 4)
  t.deepEqual(
    files.filter((file) => !kept.includes(file)),
    [],
  )
})
