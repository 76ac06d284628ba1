import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeOnHost } from '../../lab/describe-lab.ts'
import { crd, versions } from '../../support/api/crd.ts'
import { createHostCli, type HostCli } from '../../support/host/host-cli.ts'
import { until } from '../../support/until.ts'
import {
  deployment,
  service,
  shellContainer,
  statefulSet,
} from '../../support/host/planes/workloads.ts'

const NAMES = ['blue', 'green'] as const
type Name = (typeof NAMES)[number]

const NAMESPACE = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } }

// In their order: the second one is about the planes of the first.
describeOnHost('two planes in one namespace', { shuffle: false }, () => {
  let cli: HostCli
  let place: string[]
  const contexts = new Map<Name, string>()

  beforeAll(async () => {
    cli = await createHostCli()
    place = ['--namespace', cli.newNamespace()]
    for (const name of NAMES) {
      await cli.ok(['create', name, ...place, '--ephemeral', '--sync', '--share-namespace'])
      await cli.ok(['connect', name, ...place])
      const { stdout } = await cli.kubectl(['config', 'current-context'])
      contexts.set(name, stdout.trim())
    }
  })
  afterAll(() => cli[Symbol.asyncDispose]())

  // Seed 004: "have many virtual clusters within a single cluster".
  test('have objects of the same names, and each its own', async () => {
    await Promise.all(
      NAMES.map((name) =>
        inPlane(name, ['apply', '--filename', '-'], {
          apiVersion: 'v1',
          kind: 'List',
          items: [NAMESPACE, ...objectsOf(name).map(inShop)],
        }),
      ),
    )

    await Promise.all(
      NAMES.map(async (name) => {
        await inPlane(name, ['rollout', 'status', 'statefulset/data', '--timeout=120s'])
        await inPlane(name, ['rollout', 'status', 'deployment/web', '--timeout=120s'])
      }),
    )
    for (const name of NAMES) {
      const whole = { service: name, volume: `${name} 1`, settings: name }
      await until(`answers in ${name}`, async () => isDeepStrictEqual(await answers(name), whole))
    }
    expect(await hostNames()).toEqual(
      NAMES.flatMap((name) => HOST_OBJECTS.map((one) => `${one}-x-shop-x-${name}`)).toSorted(),
    )
  })

  // Seed 004: "it is not feasible to install an operator simultaneously in multiple versions inside a same cluster".
  test('have versions of one CRD and rules of one ClusterRole of their own', async () => {
    const served = { blue: ['v1'], green: ['v1', 'v2'] }
    for (const name of NAMES) {
      const widgets = crd('seedwidgets', versions(...served[name]))
      await inPlane(name, ['apply', '--filename', '-'], widgets)
      const verbs = `--verb=${name === 'blue' ? 'get' : 'list'}`
      await inPlane(name, ['create', 'clusterrole', 'operator', verbs, '--resource=seedwidgets'])
    }

    for (const name of NAMES) {
      const read = (what: string, path: string) =>
        inPlane(name, ['get', what, '--output', `jsonpath={${path}}`])
      const found = await read('crd/seedwidgets.example.com', '.spec.versions[*].name')
      expect(found.split(' ')).toEqual(served[name])
      expect(await read('clusterrole/operator', '.rules[0].verbs[0]')).toBe(
        name === 'blue' ? 'get' : 'list',
      )
    }
    expect(await cli.host(['get', 'crds', '--output', 'name'])).not.toContain('seedwidgets')
  })

  test('leave each other whole when one of them goes', async () => {
    const pods = ['get', 'pods', '--output', 'jsonpath={.items[*].metadata.uid}']
    const before = await inPlane('green', pods)

    await cli.ok(['delete', 'blue', ...place, '--yes'])

    expect(await hostNames()).toEqual(HOST_OBJECTS.map((one) => `${one}-x-shop-x-green`).toSorted())
    expect(await inPlane('green', pods)).toBe(before)
    expect(await answers('green')).toMatchObject({ service: 'green', volume: 'green 1' })
    await inPlane('green', ['delete', 'pod', 'data-0', '--wait=true'])
    await inPlane('green', ['rollout', 'status', 'statefulset/data', '--timeout=120s'])
    // The rollout may be told of the pod that goes.
    await until('the data of before', async () => {
      const found = await answers('green').catch(() => undefined)
      return found?.volume === 'green 2'
    })
  })

  test('leave nothing when both are gone', async () => {
    await cli.ok(['delete', 'green', ...place, '--yes'])

    const namespaces = await cli.host(['get', 'namespaces', '--output', 'name'])
    expect(namespaces).not.toContain(place[1])
  })

  /** Runs kubectl in a plane, in its namespace `shop`, which must end well, and returns what it printed. */
  function inPlane(name: Name, args: readonly string[], input?: object): Promise<string> {
    const options = input === undefined ? {} : { input: JSON.stringify(input) }
    const where = ['--context', contexts.get(name) ?? '', '--namespace', 'shop']
    return cli.kubectlOk([...where, ...args], options)
  }

  /** What a pod of a plane gets from its Service, and finds in its volume and in its ConfigMap. */
  async function answers(name: Name) {
    const run = async (script: string) =>
      (await inPlane(name, ['exec', 'data-0', '--', 'sh', '-c', script])).trim()
    return {
      service: await run('nc -w 5 web.shop 8080 </dev/null'),
      volume: await run('echo $(head -n 1 /data/starts) $(wc -l </data/starts)'),
      settings: await run('cat /settings/plane'),
    }
  }

  async function hostNames(): Promise<string[]> {
    const kinds = 'pods,services,configmaps,persistentvolumeclaims'
    const labelled = ['--selector', 'app.kubernetes.io/managed-by=vplane-syncer']
    const path = ['--output', 'jsonpath={range .items[*]}{.kind}/{.metadata.name}{"\\n"}{end}']
    const names = (await cli.host(['get', kinds, ...place, ...labelled, ...path]))
      .trim()
      .split('\n')
    // Those of the Deployment have names that nobody knows.
    return names.filter((one) => !/^Pod\/web-|kube-root-ca|\/kubernetes-x-/.test(one)).toSorted()
  }
})

const HOST_OBJECTS = [
  'ConfigMap/settings',
  'PersistentVolumeClaim/data-data-0',
  'Pod/data-0',
  'Service/data',
  'Service/web',
]

/** The same names in every plane, and what is in them is the plane's own. */
function objectsOf(plane: Name) {
  const serve = `while true; do echo ${plane} | nc -l -p 8080; done`
  const volumeMounts = [
    { name: 'data', mountPath: '/data' },
    { name: 'settings', mountPath: '/settings' },
  ]
  const keep = `echo ${plane} >> /data/starts; exec sleep 3600`
  const data = statefulSet('data')
  Object.assign(data.spec, {
    replicas: 1,
    volumeClaimTemplates: [
      {
        metadata: { name: 'data' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '16Mi' } } },
      },
    ],
  })
  Object.assign(data.spec.template.spec, {
    containers: [shellContainer('main', keep, { volumeMounts })],
    volumes: [{ name: 'settings', configMap: { name: 'settings' } }],
  })
  return [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { plane } },
    service('data', { clusterIP: 'None' }),
    data,
    service('web'),
    deployment('web', { replicas: 1, containers: [shellContainer('main', serve)] }),
  ]
}

function inShop<Item extends { metadata: object }>(item: Item) {
  return { ...item, metadata: { ...item.metadata, namespace: 'shop' } }
}
