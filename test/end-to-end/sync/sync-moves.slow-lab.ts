import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { PlanStep } from '../../../src/shared/plan-step.ts'
import { describeOnHost } from '../../lab/describe-lab.ts'
import { NODE_IMAGE } from '../../lab/images/node-recipe.ts'
import { createHostCli, type HostCli } from '../../support/host/host-cli.ts'
import { changeObject, changeRecord } from '../../support/host/planes/older-plane.ts'
import { orderOf, stepsOf } from '../../support/driver/steps-of.ts'
import { claim, nodeContainer, pod, service } from '../../support/host/planes/workloads.ts'
import { until } from '../../support/until.ts'

const PASSPHRASE = { env: { VPLANE_PASSPHRASE: 'correct horse' } }

/** An etcd from before the one that all known versions of Kubernetes have. */
const OLD_ETCD = '3.6.15'

/** What an upgrade does to a plane that has another etcd. */
const ORDER = [
  'Taking a snapshot of "dev"',
  'Replacing vplane-dev-etcd-0',
  'Changing kube-apiserver',
  'Changing kube-controller-manager',
  'Changing syncer',
]

// In their order: one plane rests, goes to another namespace, and is made again of its bundle.
describeOnHost('a plane that runs pods, over its days', { shuffle: false }, () => {
  let cli: HostCli
  let first: string
  let second: string
  const at = (namespace: string) => ['dev', '--namespace', namespace]
  const kubectl = (...words: string[]) => cli.kubectlOk(words)
  const read = (object: string, jsonpath: string) =>
    kubectl('get', object, `--output=jsonpath=${jsonpath}`)
  const onHost = (namespace: string, kind: string, jsonpath = '{.items[*].metadata.name}') =>
    cli.host(['get', kind, '--namespace', namespace, `--output=jsonpath=${jsonpath}`])

  beforeAll(async () => {
    cli = await createHostCli()
    first = cli.newNamespace()
    second = cli.newNamespace()
    await cli.lab.loadPlaneImages('1.35')
    await cli.lab.loadEtcdImage(OLD_ETCD)
    await cli.ok(['create', ...at(first), '--sync', '--connect', '--version', '1.35'])
    const list = { apiVersion: 'v1', kind: 'List', items: OBJECTS }
    await cli.kubectl(['apply', '--filename', '-'], { input: JSON.stringify(list) })
    await kubectl('wait', '--for=condition=Ready', 'pod/counter', '--timeout=120s')
  })
  afterAll(() => cli[Symbol.asyncDispose]())

  test('is paused without pods, and has the same ones with their data afterwards', async () => {
    const uid = await read('pod/counter', '{.metadata.uid}')

    await cli.ok(['pause', ...at(first), '--no-snapshot'])
    const [pods, claims] = await Promise.all([onHost(first, 'pods'), onHost(first, 'pvc')])
    await giveOldEtcd()
    await cli.ok(['resume', ...at(first)])
    await until('the second start', async () => (await starts()) === 2)

    expect(pods).toBe('')
    expect(claims).toContain('data-x-default-x-dev')
    expect(await read('pod/counter', '{.metadata.uid}')).toBe(uid)
  })

  test('says what no snapshot holds, and in which order its components are replaced', async () => {
    const bundle = join(cli.root, 'dev.bundle')
    const words = ['snapshot', 'create', ...at(first), '--bundle', '-o', bundle]

    const taken = await cli.run(words, PASSPHRASE)
    const rotation = await cli.run(['certs', 'rotate-ca', ...at(first), '--dry-run'])
    const change = ['set', ...at(first), 'sync.replicas=2', 'apiServer.extraArgs.v=3']
    const { steps } = await cli.json([...change, '--dry-run', '--json'])

    expect(taken.code, taken.stderr).toBe(0)
    expect(taken.stderr).toContain('the data on volumes of pods: default/data')
    expect(rotation.stdout).toContain(
      'etcd, kube-apiserver, kube-controller-manager, syncer and CoreDNS',
    )
    expect(steps.filter(({ action }: PlanStep) => action === 'replace-pods')).toEqual([
      { action: 'replace-pods', component: 'kube-apiserver' },
      { action: 'replace-pods', component: 'syncer' },
    ])
  })

  test('gets another version in the order that docs/pods.md gives, and its pods run on', async () => {
    const before = await read('pod/counter', '{.metadata.uid} {.status.containerStatuses}')

    const words = ['upgrade', ...at(first), '--version', '1.36', '--yes']
    const { code, stderr } = await cli.run(words)

    const after = await read('pod/counter', '{.metadata.uid} {.status.containerStatuses}')
    expect(code, stderr).toBe(0)
    expect(orderOf(stepsOf(stderr), ORDER)).toEqual(ORDER)
    expect(stderr).toMatch(/^ {2}\d+\. .*replace the pods of syncer and CoreDNS$/m)
    expect(after).toBe(before)
    expect(JSON.parse(await kubectl('version', '--output=json')).serverVersion).toMatchObject({
      gitVersion: 'v1.36.3',
    })
  })

  test('goes to another namespace without its volumes, with addresses that are free there', async () => {
    const before = await read('service/counter', '{.metadata.uid} {.spec.clusterIP}')
    const [uid, address] = before.split(' ')
    const words = ['move', ...at(first), '--to-namespace', second]

    const refusal = await cli.run([...words, '--yes'])
    const moved = await cli.ok([...words, '--without-volumes', '--yes', '--json'])
    const endpoint = await onHost(second, 'service/vplane-dev-api', '{.spec.clusterIP}')

    expect(refusal.code, refusal.stderr).toBe(2)
    expect(refusal.stderr).toContain('the volumes of its pods: default/data')
    expect(JSON.parse(moved)).toMatchObject({
      moved: true,
      volumes: ['default/data'],
      readdressed: ['default/kubernetes', 'default/counter'],
    })
    expect(await read('service/kubernetes', '{.spec.clusterIP}')).toBe(endpoint)
    await until('another address', async () => {
      const seen = await read('service/counter', '{.metadata.uid} {.spec.clusterIP}')
      const [same, now] = seen.split(' ')
      return same === uid && now !== address && now !== ''
    })
    await until(
      'the lost claim',
      async () => (await read('pvc/data', '{.status.phase}')) === 'Lost',
    )
    await kubectl('run', 'ask', ...POD_FLAGS, '--command', '--', 'node', '-e', ASK_API)
    await until('an answer of the API', async () =>
      (await kubectl('logs', 'ask').catch(() => '')).includes('status 200'),
    )
  })

  test('is made again of its bundle, and its pods of what makes them', async () => {
    await cli.ok(['delete', ...at(second), '--yes'])
    const bundle = join(cli.root, 'dev.bundle')
    const words = ['restore', '--from', bundle, '--namespace', first, '--yes']

    const refusal = await cli.run(words, PASSPHRASE)
    await cli.ok([...words, '--without-volumes'], PASSPHRASE)
    await cli.ok(['connect', ...at(first)])

    expect(refusal.code, refusal.stderr).toBe(2)
    expect(await kubectl('get', 'pods', '--output=name')).toBe('')
    expect(await read('service/kubernetes', '{.spec.clusterIP}')).toBe(
      await onHost(first, 'service/vplane-dev-api', '{.spec.clusterIP}'),
    )
  })

  /** Has the plane, while it rests, be as one that was made with an older etcd. */
  async function giveOldEtcd(): Promise<void> {
    await changeRecord(cli, { name: 'dev', namespace: first }, (record) => ({
      ...record,
      spec: { ...record.spec, etcdVersion: OLD_ETCD },
    }))
    const statefulSet = ['statefulset/vplane-dev-etcd', '--namespace', first]
    await changeObject(cli, statefulSet, (object) =>
      JSON.parse(JSON.stringify(object).replaceAll('/etcd:3.6.16-0', `/etcd:${OLD_ETCD}-0`)),
    )
  }

  /** How often the pod has started, as what lies on its volume says. */
  async function starts(): Promise<number> {
    const { stdout } = await cli.kubectl(['logs', 'counter'])
    return stdout.split('started').length - 1
  }
})

const POD_FLAGS = [`--image=${NODE_IMAGE}`, '--image-pull-policy=IfNotPresent', '--restart=Never']

/** A request without a token is told nothing but how the API is. */
const ASK_API = `process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
fetch('https://kubernetes.default.svc/readyz').then(({ status }) => console.log('status', status))`

/** Writes down that it has started, and tells how often it has. */
const COUNT_STARTS = `
const { appendFileSync, readFileSync } = require('node:fs')
appendFileSync('/data/starts', 'started\\n')
console.log(readFileSync('/data/starts', 'utf8'))
setInterval(() => {}, 1000)`

const MOUNT = { volumeMounts: [{ name: 'data', mountPath: '/data' }] }
const VOLUMES = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }]
const OBJECTS = [
  claim('data'),
  pod('counter', [nodeContainer('node', COUNT_STARTS, MOUNT)], { volumes: VOLUMES }),
  service('counter'),
]
