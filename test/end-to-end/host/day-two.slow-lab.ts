import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeOnHost } from '../../lab/describe-lab.ts'
import { lostOf, startWriter } from '../../support/data/config-map-writer.ts'
import { createHostCli, type HostCli } from '../../support/host/host-cli.ts'
import { hostObjects } from '../../support/host/host-objects.ts'
import { HostPlane } from '../../support/host/planes/host-plane.ts'
import { changeObject, changeRecord } from '../../support/host/planes/older-plane.ts'
import { orderOf, stepsOf } from '../../support/driver/steps-of.ts'

const TEN_A_SECOND = { perSecond: 10 }

/** An etcd from before the one that all known versions of Kubernetes have. */
const OLD_ETCD = '3.6.15'

/** Kubernetes 1.36 does not know it any more. */
const GONE_GATE = 'HonorPVReclaimPolicy'

/** Settings that 1.34 knows, and a later version does not. */
const GOES_AWAY = [
  `featureGates.${GONE_GATE}=true`,
  'featureGates.StorageVersionMigrator=true',
  'apiServer.extraArgs.runtime-config=storagemigration.k8s.io/v1alpha1=true',
].flatMap((setting) => ['--set', setting])

/** What an upgrade does to a plane that has another etcd. */
const ORDER = [
  'Taking a snapshot of "day"',
  'Replacing vplane-day-etcd-0',
  'Changing kube-apiserver',
  'Changing kube-controller-manager',
]

// In their order: all of them change one plane.
describeOnHost('older versions, broken components and killed commands', { shuffle: false }, () => {
  let cli: HostCli
  let namespace: string
  let day: HostPlane

  beforeAll(async () => {
    cli = await createHostCli()
    namespace = cli.newNamespace()
    day = new HostPlane(cli, namespace, 'day')
    await cli.lab.loadPlaneImages('1.34')
    await cli.lab.loadPlaneImages('1.35')
    await cli.lab.loadEtcdImage(OLD_ETCD)
    await cli.ok(['create', ...day.at, '--version', '1.34', ...GOES_AWAY])
    await day.kubectl(['apply', '--server-side', '--filename', '-'], MADE_EARLY)
  })
  afterAll(() => cli[Symbol.asyncDispose]())

  test('names before an upgrade what etcd holds in a version that goes away, until it is gone', async () => {
    const upgrade = ['upgrade', ...day.at, '--version', '1.35', '--dry-run']

    const before = await cli.run(upgrade)
    await day.kubectl(['delete', 'storageversionmigration', 'old'])
    const after = await cli.run(upgrade)

    const found = 'of storageversionmigrations.storagemigration.k8s.io as storagemigration'
    expect(before.stderr).toContain(`1 ${found}`)
    expect(after.stderr).not.toContain(found)
    expect(after.stderr).not.toContain('Cannot check whether')
    expect(after.code, after.stderr).toBe(0)
  })

  test('a change repairs a component none of whose pods can run', async () => {
    const component = 'kube-apiserver'
    const deployment = [`deployment/vplane-day-${component}`, '--namespace', namespace]
    // No earlier pod continues beside it.
    await changeObject(cli, deployment, (object) =>
      JSON.parse(
        JSON.stringify(object)
          .replace('"args":[', '"args":["--no-such-flag",')
          .replace(/"rollingUpdate":\{.*?\},"type":"RollingUpdate"/, '"type":"Recreate"'),
      ),
    )
    const described = async () => (await cli.run(['describe', ...day.at])).stdout
    await expect.poll(described, { timeout: 120_000, interval: 500 }).toContain('no-such-flag')

    const flags = ['apiServer.extraArgs.v=3', 'apiServer.extraArgs.runtime-config-']
    const mended = await cli.run(['set', ...day.at, ...flags, '--yes'])

    expect(mended.code, mended.stderr).toBe(0)
    expect((await day.podIds()).get(component)).toHaveLength(1)
  })

  test('the same command continues a scaling that was killed', async () => {
    const scaling = cli.start(['scale', ...day.at, '--etcd', '3', '--yes'])
    const second = ['pod/vplane-day-etcd-1', '--namespace', namespace]
    await cli.host(['wait', ...second, '--for=create', '--timeout=120s'])
    await scaling.kill()

    await cli.ok(['scale', ...day.at, '--etcd', '3', '--yes'])
    const three = await day.volumes()
    await cli.ok(['scale', ...day.at, '--etcd', '1', '--yes'])

    expect(three).toHaveLength(3)
  })

  test('an upgrade takes away what only the templates of an older vplane had', async () => {
    const labels = { 'app.kubernetes.io/managed-by': 'vplane', 'vplane.dev/name': 'day' }
    const former = (apiVersion: string, kind: string, name: string) => ({
      apiVersion,
      kind,
      metadata: { name, namespace, labels },
    })
    const kinds = [
      former('v1', 'ConfigMap', 'vplane-day-former'),
      former('v1', 'Secret', 'vplane-day-former'),
      former('policy/v1', 'PodDisruptionBudget', 'vplane-day-former'),
    ]
    const list = { apiVersion: 'v1', kind: 'List', items: kinds }
    await cli.host(['apply', '--server-side', '--field-manager=vplane', '-f', '-'], list)
    await cli.host(['create', '-f', '-'], former('v1', 'ConfigMap', 'vplane-day-mine'))
    const before = await day.podIds()

    const { stderr } = await cli.run(['upgrade', ...day.at, '--yes'])
    const again = await cli.ok(['upgrade', ...day.at, '--yes'])

    const found = 'configmap,secret,poddisruptionbudget'
    const names = await cli.host(['get', found, '--namespace', namespace, '--output', 'name'])
    expect(stderr).toContain(
      '  1. remove ConfigMap "vplane-day-former"\n  2. remove PodDisruptionBudget "vplane-day-former"\n',
    )
    expect(stderr).not.toContain('  3. ')
    expect(again).toContain('"day" is already up to date.')
    expect(names.split('\n').filter((name) => /(former|mine)$/.test(name))).toEqual([
      'configmap/vplane-day-mine',
      'secret/vplane-day-former',
    ])
    expect(await day.podIds()).toEqual(before)
  })

  test('a plane of an older vplane is marked until an upgrade brings it to the templates of this one', async () => {
    await changeRecord(cli, { name: 'day', namespace }, (record) => ({
      ...record,
      madeBy: '0.0.1',
      spec: { ...record.spec, etcdVersion: OLD_ETCD },
    }))
    const manager = ['deployment/vplane-day-kube-controller-manager', '--namespace', namespace]
    await changeObject(cli, manager, (object) =>
      JSON.parse(JSON.stringify(object).replace('"args":[', '"args":["--v=1",')),
    )
    const marked = await cli.ok(['list', '--namespace', namespace])

    const { stderr } = await cli.run(['upgrade', ...day.at, '--yes'])

    const list = await cli.ok(['list', '--namespace', namespace])
    const described = await cli.ok(['describe', ...day.at])
    expect(marked).toContain('0.0.1')
    expect(stderr).toContain('replace the pods of etcd\n')
    expect(stderr).toContain('replace the pods of kube-controller-manager\n')
    expect(list).not.toContain('0.0.1')
    expect(described).toContain(`Kubernetes 1.34.4, etcd ${OLD_ETCD}`)
    expect(await cli.host(['get', ...manager, '--output', 'json'])).not.toContain('"--v=1"')
  })

  test('an upgrade begins with a snapshot and etcd, and skips no minor', async () => {
    const writer = await startWriter(cli, day.at, TEN_A_SECOND)

    const skipped = await cli.run(['upgrade', ...day.at, '--version', '1.36', '--yes'])
    const versions = ['--version', '1.35', '--etcd-version', '3.6.16']
    const { code, stderr } = await cli.run(['upgrade', ...day.at, ...versions, '--yes'])

    const { longestGapMs, taken } = await writer.stop()
    process.stderr.write(
      `nano was away for ${longestGapMs.toFixed()} ms while etcd got another version\n`,
    )
    expect(skipped.code).toBe(2)
    expect(code, stderr).toBe(0)
    expect(orderOf(stepsOf(stderr), ORDER)).toEqual(ORDER)
    expect(await day.snapshots()).toBe(1)
    expect(await day.versions()).toEqual(['1.35.4', 'v1.35.4', '3.6.16'])
    expect(await kept()).toBe(`${KEPT} ${KEPT}`)
    expect(await lostOf(cli, day.at, taken)).toEqual([])
    // Its only member of etcd is replaced.
    expect(longestGapMs).toBeLessThan(60_000)
  })

  test('a plane goes back by itself when the new version cannot run', async () => {
    const before = await day.podIds()

    const { code, stderr } = await cli.run(['upgrade', ...day.at, '--version', '1.36', '--yes'])

    const after = await day.podIds()
    expect(code).toBe(7)
    expect(stderr).toContain('going back to Kubernetes 1.35.4')
    expect(stderr).toContain('"day" is Kubernetes 1.35.4 again')
    expect(stderr).toContain(`unrecognized feature gate: ${GONE_GATE}`)
    expect(await day.versions()).toEqual(['1.35.4', 'v1.35.4', '3.6.16'])
    expect(await kept()).toBe(`${KEPT} ${KEPT}`)
    // Nobody took it away before another one was ready.
    expect(after).toEqual(before)
  })

  test('all of it goes with the plane', async () => {
    await cli.ok(['delete', ...day.at, '--yes'])

    expect(await hostObjects(cli.lab, namespace)).toEqual(new Map())
  })

  /** What the objects hold that were made before all upgrades. */
  function kept(): Promise<string> {
    const words = ['get', 'configmap/kept', 'secret/kept']
    return day.kubectl([...words, '--output', 'jsonpath={.items[*].data.word}'])
  }
})

/** What objects of 1.34 hold. */
const KEPT = btoa('sesame')

/** Objects of 1.34, of which one is in a version that 1.35 does not have. */
const MADE_EARLY = {
  apiVersion: 'v1',
  kind: 'List',
  items: [
    ...['ConfigMap', 'Secret'].map((kind) => ({
      apiVersion: 'v1',
      kind,
      metadata: { name: 'kept', namespace: 'default' },
      data: { word: KEPT },
    })),
    {
      apiVersion: 'storagemigration.k8s.io/v1alpha1',
      kind: 'StorageVersionMigration',
      metadata: { name: 'old' },
      spec: { resource: { group: 'example.com', version: 'v1', resource: 'widgets' } },
    },
  ],
}
