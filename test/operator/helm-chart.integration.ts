import { beforeAll, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import type { OperatorSettings } from '../../src/control-plane/declared/operators.ts'
import { operatorObjects } from '../../src/drivers/kubernetes/operator/operator-objects.ts'
import { readSchemas } from '../../src/drivers/kubernetes/operator/read-schemas.ts'
import type { KubeObject } from '../../src/shared/kube/kube-object.ts'
import { CHART, createHelm } from '../support/host/helm-chart.ts'

let helm: Awaited<ReturnType<typeof createHelm>>
beforeAll(async () => {
  helm = await createHelm()
})

/** The objects of a release in the namespace team-a. */
async function templated(values: readonly string[]): Promise<KubeObject[]> {
  const flags = ['--namespace', 'team-a', '--kube-version', '1.36.0', '--no-hooks']
  const text = await helm('template', 'own', CHART, ...flags, ...set(values))
  return parseAllDocuments(text)
    .map((document): KubeObject | null => document.toJS())
    .filter((object) => object !== null)
    .toSorted(byName)
}

const set = (values: readonly string[]) => values.flatMap((value) => ['--set', value])

function byName(left: KubeObject, right: KubeObject): number {
  return nameOf(left) < nameOf(right) ? -1 : 1
}

const nameOf = ({ kind, metadata }: KubeObject) => `${kind} ${metadata.name}`

const SETTINGS: Array<[string[], Partial<OperatorSettings>]> = [
  [[], {}],
  [
    ['replicas=2', 'image=registry.example.com/node:24'],
    { replicas: 2, image: 'registry.example.com/node:24' },
  ],
  [
    ['scope=namespace', 'imagePullSecrets[0].name=mirror'],
    { scope: 'namespace', pullSecrets: ['mirror'] },
  ],
]

test.for(SETTINGS)('has the objects of vplane operator install with %j', async ([values, own]) => {
  const settings = { namespace: 'team-a', scope: 'cluster', replicas: 1, ...own } as const

  const objects = await templated([...values, 'crds=false'])

  expect(objects).toEqual(operatorObjects(settings).toSorted(byName))
})

test('has the definitions and policies of this version, which stay', async () => {
  const own = new Set((await templated(['crds=false'])).map(nameOf))

  const objects = (await templated([])).filter((object) => !own.has(nameOf(object)))

  const annotations = { 'helm.sh/resource-policy': 'keep' }
  const wanted = [...readSchemas('crds'), ...readSchemas('policies')]
    .map(({ metadata, ...rest }) => ({ ...rest, metadata: { ...metadata, annotations } }))
    .toSorted(byName)
  expect(objects).toEqual(wanted)
})

test('passes helm lint', async () => {
  await expect(helm('lint', '--strict', CHART)).resolves.toContain('0 chart(s) failed')
})

const WRONG = [
  'scope=all',
  'replicas=0',
  'replicas=two',
  'image=',
  'unknown=1',
  'imagePullSecrets[0].key=x',
  'resources.cpu=1',
  'programs.unknown=1',
]

test.for(WRONG)('refuses the value %s', async (value) => {
  await expect(templated([value])).rejects.toThrow("values don't meet the specifications")
})
