import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { HostObject } from '../../../src/drivers/kubernetes/host-api.ts'
import { isReadyPod } from '../../../src/drivers/kubernetes/status/look.ts'
import { waitFor } from '../../../src/shared/wait.ts'
import { canRunLab } from '../../lab/lab.ts'
import { lostOf, startWriter } from '../../support/config-map-writer.ts'
import { createHostCli, type HostCli } from '../../support/host-cli.ts'
import { type HostEtcd, openHostEtcd } from '../../support/host-etcd.ts'
import { hostObjects } from '../../support/host-objects.ts'
import { changeObject, changeRecord } from '../../support/older-plane.ts'
import { orderOf, stepsOf } from '../../support/steps-of.ts'

const TIMEOUT_MS = 600_000

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
]

/** What an upgrade does to a plane that has another etcd. */
const ORDER = [
  'Taking a snapshot of "day"',
  'Replacing vplane-day-etcd-0',
  'Changing kube-apiserver',
  'Changing kube-controller-manager',
]
/** Of a member of etcd that goes: whether its volume, its pod, the member and its address are there still. */
const STAYS = [true, true, true, true]
/** The address goes first, the volume last; what was looked at before is not younger than what was looked at after. */
const GOING = [0, 1, 2, 3, 4].map((gone) => STAYS.map((_, place) => place < 4 - gone).join())

// In their order: all of them change one plane.
describe.skipIf(canRunLab() !== undefined)(
  'the second day of a plane',
  { shuffle: false, timeout: TIMEOUT_MS },
  () => {
    let cli: HostCli
    let namespace: string
    let day: string[]

    beforeAll(async () => {
      cli = await createHostCli()
      namespace = cli.newNamespace()
      day = ['day', '--namespace', namespace]
      await cli.lab.loadPlaneImages('1.34')
      await cli.lab.loadPlaneImages('1.35')
      await cli.lab.loadEtcdImage(OLD_ETCD)
      await cli.ok([
        'create',
        ...day,
        '--version',
        '1.34',
        ...GOES_AWAY.flatMap((one) => ['--set', one]),
      ])
      await inPlane(['apply', '--server-side', '--filename', '-'], MADE_EARLY)
    })
    afterAll(async () => {
      await cli[Symbol.asyncDispose]()
    })

    test('names before an upgrade what etcd holds in a version that goes away, until it is gone', async () => {
      const upgrade = ['upgrade', ...day, '--version', '1.35', '--dry-run']

      const before = await cli.run(upgrade)
      await inPlane(['delete', 'storageversionmigration', 'old'])
      const after = await cli.run(upgrade)

      const found = 'of storageversionmigrations.storagemigration.k8s.io as storagemigration'
      expect(before.stderr).toContain(`1 ${found}`)
      expect(after.stderr).not.toContain(found)
      expect(after.stderr).not.toContain('cannot be told')
      expect(after.code, after.stderr).toBe(0)
    })

    test('a flag replaces the pods of its component alone, and a fixed field is refused', async () => {
      const before = await pods()

      const fixed = await cli.run(['set', ...day, 'clusterDomain=other', '--yes'])
      const nobody = await cli.run(['set', ...day, 'apiServer.extraArgs.v=2'])
      const flags = ['apiServer.extraArgs.v=2', 'apiServer.extraArgs.runtime-config-']
      const { stderr } = await cli.run(['set', ...day, ...flags, '--yes'])
      const again = await cli.ok(['set', ...day, 'apiServer.extraArgs.v=2', '--yes'])

      const after = await pods()
      expect([fixed.code, nobody.code]).toEqual([2, 2])
      expect(fixed.stderr).toContain('"clusterDomain" stays')
      expect(stderr).toContain('  1. replace the pods of kube-apiserver\n')
      expect(stderr).not.toContain('  2. ')
      expect(again).toBe('"day" is like that already.\n')
      expect(after.get('etcd')).toEqual(before.get('etcd'))
      expect(after.get('kube-controller-manager')).toEqual(before.get('kube-controller-manager'))
      expect(after.get('kube-apiserver')).not.toEqual(before.get('kube-apiserver'))
    })

    test('a change mends a component none of whose pods can run', async () => {
      const component = 'kube-apiserver'
      const deployment = [`deployment/vplane-day-${component}`, '--namespace', namespace]
      // None of before goes on beside it.
      await changeObject(cli, deployment, (object) =>
        JSON.parse(
          JSON.stringify(object)
            .replace('"args":[', '"args":["--no-such-flag",')
            .replace(/"rollingUpdate":\{.*?\},"type":"RollingUpdate"/, '"type":"Recreate"'),
        ),
      )
      await waitFor(
        async () => (await cli.run(['describe', ...day])).stdout.includes('no-such-flag'),
        {
          what: 'its end',
          timeoutMs: 120_000,
          intervalMs: 500,
        },
      )

      const mended = await cli.run(['set', ...day, 'apiServer.extraArgs.v=3', '--yes'])

      expect(mended.code, mended.stderr).toBe(0)
      expect((await pods()).get(component)).toHaveLength(1)
    })

    test('etcd gets members and loses them, and no write that was taken', async () => {
      const writer = await startWriter(cli, day)

      const even = await cli.run(['scale', ...day, '--etcd', '2', '--yes'])
      await cli.ok(['scale', ...day, '--etcd', '3', '--yes'])
      const three = await volumes()
      await using etcd = await openHostEtcd(cli.lab, { name: 'day', namespace }, 3)
      // Who leads is the first to go.
      await etcd.cluster.moveLeader((await etcd.leader()) ?? 0, 2, AbortSignal.timeout(30_000))
      const scaling = cli.start(['scale', ...day, '--etcd', '1', '--yes'])
      const looks = await looksUntil(scaling.ended, etcd)

      const { taken } = await writer.stop()
      const { code, stderr } = await scaling.ended
      expect(even.code).toBe(2)
      expect(code, stderr).toBe(0)
      expect(looks).toContainEqual(STAYS)
      expect(looks.filter((look) => !GOING.includes(look.join()))).toEqual([])
      expect(three).toHaveLength(3)
      expect(await volumes()).toEqual(['persistentvolumeclaim/data-vplane-day-etcd-0'])
      expect(taken.length).toBeGreaterThan(20)
      expect(await lostOf(cli, day, taken)).toEqual([])
    })

    test('a scaling that was killed is gone on with by the same command', async () => {
      const scaling = cli.start(['scale', ...day, '--etcd', '3', '--yes'])
      const second = ['pod/vplane-day-etcd-1', '--namespace', namespace]
      await cli.host(['wait', ...second, '--for=create', '--timeout=120s'])
      scaling.child.kill('SIGKILL')
      await scaling.ended

      await cli.ok(['scale', ...day, '--etcd', '3', '--yes'])
      const three = await volumes()
      await cli.ok(['scale', ...day, '--etcd', '1', '--yes'])

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
      const before = await pods()

      const { stderr } = await cli.run(['upgrade', ...day, '--yes'])
      const again = await cli.ok(['upgrade', ...day, '--yes'])

      const found = 'configmap,secret,poddisruptionbudget'
      const names = await cli.host(['get', found, '--namespace', namespace, '--output', 'name'])
      expect(stderr).toContain(
        '  1. remove ConfigMap "vplane-day-former"\n  2. remove PodDisruptionBudget "vplane-day-former"\n',
      )
      expect(stderr).not.toContain('  3. ')
      expect(again).toContain('"day" is like that already.')
      expect(names.split('\n').filter((name) => /(former|mine)$/.test(name))).toEqual([
        'configmap/vplane-day-mine',
        'secret/vplane-day-former',
      ])
      expect(await pods()).toEqual(before)
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

      const { stderr } = await cli.run(['upgrade', ...day, '--yes'])

      const list = await cli.ok(['list', '--namespace', namespace])
      const described = await cli.ok(['describe', ...day])
      expect(marked).toContain('0.0.1')
      expect(stderr).toContain('replace the pods of etcd\n')
      expect(stderr).toContain('replace the pods of kube-controller-manager\n')
      expect(list).not.toContain('0.0.1')
      expect(described).toContain(`Kubernetes 1.34.4, etcd ${OLD_ETCD}`)
      expect(await cli.host(['get', ...manager, '--output', 'json'])).not.toContain('"--v=1"')
    })

    test('an upgrade begins with a snapshot and etcd, and skips no minor', async () => {
      const writer = await startWriter(cli, day, TEN_A_SECOND)

      const skipped = await cli.run(['upgrade', ...day, '--version', '1.36', '--yes'])
      const versions = ['--version', '1.35', '--etcd-version', '3.6.16']
      const { code, stderr } = await cli.run(['upgrade', ...day, ...versions, '--yes'])

      const { longestGapMs, perSecond, taken } = await writer.stop()
      process.stderr.write(
        `nano was away for ${longestGapMs.toFixed()} ms while etcd got another version\n`,
      )
      expect(skipped.code).toBe(2)
      expect(code, stderr).toBe(0)
      expect(orderOf(stepsOf(stderr), ORDER)).toEqual(ORDER)
      expect(await snapshots()).toBe(1)
      expect(await versionsOf()).toEqual(['1.35.4', 'v1.35.4', '3.6.16'])
      expect(await lostOf(cli, day, taken)).toEqual([])
      expect(perSecond).toBeGreaterThan(5)
      // Its only member of etcd is replaced.
      expect(longestGapMs).toBeLessThan(60_000)
    })

    test('a plane goes back by itself when the new version cannot run', async () => {
      const before = await pods()

      const { code, stderr } = await cli.run(['upgrade', ...day, '--version', '1.36', '--yes'])

      const described = async (): Promise<unknown> =>
        JSON.parse(await cli.ok(['describe', ...day, '--json']))
      const after = await pods()
      expect(code).toBe(7)
      expect(stderr).toContain('going back to Kubernetes 1.35.4')
      expect(stderr).toContain('"day" is Kubernetes 1.35.4 again')
      expect(stderr).toContain(`unrecognized feature gate: ${GONE_GATE}`)
      await expect.poll(described, { timeout: 30_000 }).toMatchObject({ status: 'Ready' })
      expect(await versionsOf()).toEqual(['1.35.4', 'v1.35.4', '3.6.16'])
      // Nobody took it away before another one was ready.
      expect(after).toEqual(before)
    })

    test('an upgrade loses nothing, and takes no kube-apiserver away before the next one is ready', async () => {
      await cli.ok(['set', ...day, 'featureGates-', '--yes'])
      const writer = await startWriter(cli, day, TEN_A_SECOND)

      const back = await cli.run(['upgrade', ...day, '--version', '1.34', '--yes'])
      await cli.ok(['upgrade', ...day, '--version', '1.36', '--yes'])

      const { failures, longestGapMs, perSecond, taken } = await writer.stop()
      process.stderr.write(
        `nano was away for ${longestGapMs.toFixed()} ms of an upgrade, ${failures.length} of ${taken.length} failed\n`,
      )
      expect(back.code).toBe(2)
      expect(await versionsOf()).toEqual(['1.36.3', 'v1.36.3', '3.6.16'])
      expect(await snapshots()).toBe(3)
      const kept = ['get', 'configmap/kept', 'secret/kept', '--output', 'name']
      expect(await inPlane(kept)).toBe('configmap/kept\nsecret/kept\n')
      expect(await lostOf(cli, day, taken)).toEqual([])
      // A connection that is open goes on; one that is made in the moment of a change may have to be made again.
      expect(failures.length).toBeLessThan(taken.length / 10)
      expect(perSecond).toBeGreaterThan(8)
      expect(longestGapMs).toBeLessThan(10_000)
    })

    test('all of it goes with the plane', async () => {
      await cli.ok(['delete', ...day, '--yes'])

      expect(await hostObjects(cli.lab, namespace)).toEqual(new Map())
    })

    /** The pods that run, by their component. */
    async function pods(): Promise<Map<string, string[]>> {
      const { items }: { items: HostObject[] } = JSON.parse(
        await cli.host(['get', 'pods', '--namespace', namespace, '--output', 'json']),
      )
      const living = items.filter(isReadyPod).map(({ metadata }) => metadata)
      const names = ['etcd', 'kube-apiserver', 'kube-controller-manager']
      return new Map(
        names.map((name) => [
          name,
          living
            .filter(({ labels }) => labels?.['vplane.dev/component'] === name)
            .map(({ uid = '' }) => uid),
        ]),
      )
    }

    /** What vplane says the plane runs, what its API says, and the etcd that runs below. */
    async function versionsOf(): Promise<string[]> {
      const { version } = JSON.parse(await cli.ok(['describe', ...day, '--json']))
      const { serverVersion } = JSON.parse(await inPlane(['version', '--output', 'json']))
      const image = 'jsonpath={.spec.containers[0].image}'
      const etcd = await cli.host([
        'get',
        'pod/vplane-day-etcd-0',
        '--namespace',
        namespace,
        '--output',
        image,
      ])
      return [version, serverVersion.gitVersion, /etcd:(.+)-0$/.exec(etcd)?.[1] ?? etcd]
    }

    /** How many snapshots of the plane are kept. */
    async function snapshots(): Promise<number> {
      const { snapshots: all } = JSON.parse(await cli.ok(['snapshot', 'list', '--json']))
      return all.filter(({ plane }: { plane: string }) => plane === 'day').length
    }

    function inPlane(args: readonly string[], input?: object): Promise<string> {
      const options = input === undefined ? {} : { input: JSON.stringify(input) }
      return cli.ok(['connect', ...day, '--', 'kubectl', ...args], options)
    }

    /** What is left of the members that go, again and again until something has ended. */
    async function looksUntil(ended: Promise<unknown>, etcd: HostEtcd): Promise<boolean[][]> {
      const looks: boolean[][] = []
      const end = new AbortController()
      void ended.then(() => end.abort())
      while (!end.signal.aborted) {
        looks.push(...(await look(etcd)))
      }
      return looks
    }

    /** Whether volume, pod, member and address are there, in the opposite order of that in which they go. */
    async function look(etcd: HostEtcd): Promise<boolean[][]> {
      const names = [1, 2].map((ordinal) => `vplane-day-etcd-${ordinal}`)
      const claims = await living('pvc')
      const members = await living('pods')
      const known = await etcd.members()
      const servers = (await living('pods')).filter(({ metadata }) =>
        metadata.name?.startsWith('vplane-day-kube-apiserver-'),
      )
      const isIn = (items: HostObject[], name: string) =>
        items.some(({ metadata }) => metadata.name === name)
      return names.map((name) => [
        isIn(claims, `data-${name}`),
        isIn(members, name),
        known.includes(name),
        servers.some(({ spec }) => JSON.stringify(spec).includes(`https://${name}.`)),
      ])
    }

    async function living(kind: string): Promise<HostObject[]> {
      const { items }: { items: HostObject[] } = JSON.parse(
        await cli.host(['get', kind, '--namespace', namespace, '--output', 'json']),
      )
      return items.filter(({ metadata }) => metadata['deletionTimestamp'] === undefined)
    }

    async function volumes(): Promise<string[]> {
      const found = await cli.host(['get', 'pvc', '--namespace', namespace, '--output', 'name'])
      return found.split('\n').filter((name) => name !== '')
    }
  },
)

/** Objects of 1.34, of which one is in a version that 1.35 does not have. */
const MADE_EARLY = {
  apiVersion: 'v1',
  kind: 'List',
  items: [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'kept', namespace: 'default' } },
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'kept', namespace: 'default' } },
    {
      apiVersion: 'storagemigration.k8s.io/v1alpha1',
      kind: 'StorageVersionMigration',
      metadata: { name: 'old' },
      spec: { resource: { group: 'example.com', version: 'v1', resource: 'widgets' } },
    },
  ],
}
