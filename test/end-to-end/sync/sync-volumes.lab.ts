import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeOnHost } from '../../lab/describe-lab.ts'
import { createSyncedPlane, type SyncedPlane } from '../../support/host/planes/synced-plane.ts'
import { until } from '../../support/until.ts'
import {
  claim,
  claimSpec,
  nodeContainer,
  pod,
  service,
  statefulSet,
} from '../../support/host/planes/workloads.ts'

const SLEEP = 'setInterval(() => {}, 1000)'
const QUICK = ['--grace-period=1', '--wait=true']
const HOST_CLAIM = 'persistentvolumeclaim/data-web-0-x-default-x-dev'

// In their order: the claim of the first test is what others look at, grow and delete.
describeOnHost('volumes of a plane', { shuffle: false }, () => {
  let plane: SyncedPlane
  const ok = (...args: string[]) => plane.ok(...args)
  const onHost = (...args: string[]) => plane.onHost(...args)
  const read = (object: string, jsonpath: string) =>
    ok('get', object, '--output', `jsonpath=${jsonpath}`)

  beforeAll(async () => {
    plane = await createSyncedPlane(['--set', 'sync.storageClasses=[local-path]'])
    // Their volumes are made while others are looked at.
    await plane.apply(
      pod('client', [nodeContainer('node', SLEEP)]),
      SHORT_POD,
      STATEFUL_SET,
      service('web', { clusterIP: 'None' }),
    )
  })
  afterAll(() => plane[Symbol.asyncDispose]())

  // Seed 004: "In the event that persistent volume claims are generated in the virtual cluster, they will be modified and
  // generated in the host cluster's namespace. The relevant persistent volume data will be synchronized back".
  test('a pod of a StatefulSet finds what the one before it wrote, and is found by its name', async () => {
    await ok('rollout', 'status', 'statefulset/web', '--timeout=120s')
    await ok('wait', '--for=condition=Ready', 'pod/client', '--timeout=120s')
    await until('the first start', async () => (await starts()) === 1)
    expect(await onHost('get', 'pvc', '--output', 'name')).toContain(`${HOST_CLAIM}\n`)

    await ok('delete', 'pod', 'web-0', ...QUICK)
    await ok('rollout', 'status', 'statefulset/web', '--timeout=120s')

    await until('the second start', async () => (await starts()) === 2)
  })

  test('a claim is bound to a volume of the plane, of the class that every plane has', async () => {
    const volume = await read('pvc/data-web-0', '{.spec.volumeName}')

    expect(await read('pvc/data-web-0', '{.status.phase} {.status.capacity.storage}')).toBe(
      'Bound 32Mi',
    )
    expect(await read('pvc/data-web-0', '{.spec.storageClassName}')).toBe('default')
    expect(await read(`pv/${volume}`, '{.status.phase} {.spec.claimRef.name}')).toBe(
      'Bound data-web-0',
    )
    expect(await ok('get', 'storageclass')).toMatch(/^default \(default\) +vplane\.dev\/host/m)
  })

  test('the data of a restarted syncer’s plane is where it was', async () => {
    const uid = await onHost('get', HOST_CLAIM, '--output', 'jsonpath={.metadata.uid}')
    const syncer = ['--selector', 'vplane.dev/component=syncer']
    const names = () => onHost('get', 'pods', ...syncer, '--output', 'name')
    const before = await names()
    await onHost('delete', 'pods', ...syncer, '--grace-period=0', '--force')
    await until('another syncer', async () => !['', before].includes(await names()))
    await onHost('wait', 'pods', ...syncer, '--for=condition=Ready', '--timeout=120s')

    expect(await onHost('get', HOST_CLAIM, '--output', 'jsonpath={.metadata.uid}')).toBe(uid)
    // Its name and the plane's names are resolved again a moment after it is ready.
    await until('the same data', async () => (await starts()) === 2)
  })

  test('a volume of one pod comes and goes with it', async () => {
    await ok('wait', '--for=condition=Ready', 'pod/short', '--timeout=120s')
    expect(await read('pvc/short-scratch', '{.status.phase} {.spec.storageClassName}')).toBe(
      'Bound local-path',
    )

    await ok('delete', 'pod', 'short', ...QUICK)

    await until('the end of its volume', async () => {
      const left = await onHost('get', 'pvc', '--output', 'name')
      return !left.includes('short-') && !(await ok('get', 'pvc,pv')).includes('short-')
    })
  })

  test('a class that the plane does not have is refused, and so is growth that the host does not have', async () => {
    await plane.apply(claim('golden', claimSpec('16Mi', { storageClassName: 'gold' })))
    const resources = { requests: { storage: '64Mi' } }
    await ok('patch', 'pvc', 'data-web-0', '--patch', JSON.stringify({ spec: { resources } }))

    await until('the events', async () => {
      const events = await ok('get', 'events', '--output', 'custom-columns=:.reason,:.message')
      return (
        /^SyncRefused .*"sync\.storageClasses: \[gold\]" in the plane's spec would allow it$/m.test(
          events,
        ) && /^HostRefused .*only dynamically provisioned pvc can be resized/m.test(events)
      )
    })
    expect(await onHost('get', 'pvc', '--output', 'name')).not.toContain('golden')
  })

  test('a deleted claim takes its data along, once no pod uses it', async () => {
    await ok('delete', 'pvc', 'data-web-0', '--wait=false')
    await until('the same data', async () => (await starts()) === 2)
    expect(await onHost('get', HOST_CLAIM, '--output', 'jsonpath={.metadata}')).not.toContain(
      'deletionTimestamp',
    )

    await ok('delete', 'statefulset', 'web', '--wait=false')

    await until('the end of the data', async () => {
      const left = await onHost('get', 'pvc', '--output', 'name')
      return left === '' && (await ok('get', 'pv', '--output', 'name')) === ''
    })
  })

  test('a volume that a user makes can be deleted', async () => {
    await plane.apply({
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: 'own' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '1Mi' },
        csi: { driver: 'csi.example.com', volumeHandle: 'own' },
      },
    })

    await ok('delete', 'pv', 'own', '--timeout=60s')

    expect(await ok('get', 'pv', 'own', '--ignore-not-found')).toBe('')
  })

  /** How often the pod of the StatefulSet has started, as it tells by its name. */
  async function starts(): Promise<number> {
    const ask = `fetch('http://web-0.web.default.svc:8080').then((answer) => answer.text()).then(console.log, () => {})`
    return (await ok('exec', 'client', '--', 'node', '-e', ask)).split('started').length - 1
  }
})

/** Writes down that it has started, and tells everybody how often. */
const COUNT_STARTS = `
const { appendFileSync, readFileSync } = require('node:fs')
appendFileSync('/data/starts', 'started\\n')
require('node:http').createServer((_, answer) => answer.end(readFileSync('/data/starts'))).listen(8080)`

const STATEFUL_SET = statefulSet('web')
Object.assign(STATEFUL_SET.spec, {
  replicas: 1,
  volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: claimSpec('32Mi') }],
})
STATEFUL_SET.spec.template.spec.containers = [
  nodeContainer('node', COUNT_STARTS, { volumeMounts: [{ name: 'data', mountPath: '/data' }] }),
]

const SCRATCH = claimSpec('16Mi', { storageClassName: 'local-path' })
const SHORT_POD = pod(
  'short',
  [nodeContainer('node', SLEEP, { volumeMounts: [{ name: 'scratch', mountPath: '/scratch' }] })],
  { volumes: [{ name: 'scratch', ephemeral: { volumeClaimTemplate: { spec: SCRATCH } } }] },
)
