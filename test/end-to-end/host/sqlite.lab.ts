import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { PlaneDetails } from '../../../src/cli/results/plane-result.ts'
import { describeOnHost } from '../../lab/describe-lab.ts'
import { NODE_IMAGE } from '../../lab/images/node-recipe.ts'
import { untilAnswered } from '../../support/cli/until-answered.ts'
import { lostWhile } from '../../support/data/config-map-writer.ts'
import { expectNewRevisions, REVISION } from '../../support/data/revisions.ts'
import { createHostCli, type HostCli, RESTRICTED } from '../../support/host/host-cli.ts'
import { hostObjects } from '../../support/host/host-objects.ts'

const SPEC = 'store: { kine: { sqlite: {} } }\n'
const PATIENT = { timeout: 120_000, interval: 250 }
const KINE = ['--selector', 'vplane.dev/component=kine']

// In their order: all of them are about one plane.
describeOnHost('a plane in a host namespace with sqlite', { shuffle: false }, () => {
  let cli: HostCli
  let namespace: string
  let at: string[]
  let embedded: string
  let file: string
  let spec: string

  beforeAll(async () => {
    cli = await createHostCli()
    await cli.lab.loadKineImage()
    namespace = await cli.makeNamespace(RESTRICTED)
    at = ['--namespace', namespace]
    spec = join(dirname(cli.kubeconfig), 'spec.yaml')
    writeFileSync(spec, SPEC)
    const flags = ['--file', spec, '--expose', 'node-port', '--connect']
    await cli.ok(['create', 'light', ...at, ...flags])
    embedded = join(dirname(cli.kubeconfig), 'embedded')
    file = join(dirname(cli.kubeconfig), 'light.snapshot')
    await cli.kubectlOk(['create', 'configmap', 'kept'])
  })
  afterAll(() => cli[Symbol.asyncDispose]())

  test('runs kine instead of etcd, says so, and knows that it has data', async () => {
    await untilReady()

    expect(await described()).toMatchObject({
      spec: { store: { kine: { sqlite: {} } }, kineVersion: '0.17.2' },
      components: [
        { name: 'kine', state: 'running', instance: 'vplane-light-kine-0' },
        { name: 'kube-apiserver' },
        { name: 'kube-controller-manager' },
      ],
    })
    expect(await cli.ok(['describe', 'light', ...at])).toContain('kine 0.17.2 with sqlite')
    expect(await cli.ok(['logs', 'light', ...at, 'kine'])).toContain('Kine available at')
    expect(await cli.ok(['metrics', 'light', ...at])).toContain('component="kine"} 1')
    expect(await cli.host(['get', 'all,configmap,networkpolicy', ...at, '-o=name'])).not.toContain(
      'etcd',
    )
    const mode = ['get', 'configmap', 'vplane-light-kine', ...at, '-o=jsonpath={.data.DATA_MODE}']
    await expect.poll(() => cli.host(mode), PATIENT).toBe('rw')
  })

  test('lets nobody else of its namespace connect to kine', async () => {
    // The pod is free until the host knows its address.
    const script = `const connect = () => require('node:net').connect(2379, 'vplane-light-kine')
      .on('connect', function () { this.destroy(); setTimeout(connect, 100) })
      .on('error', ({ code }) => { console.log(code); process.exit() })
      connect()`
    await cli.host(['create', ...at, '--filename', '-'], stranger(['node', '-e', script]))
    const phase = () => cli.host(['get', 'pod', 'stranger', ...at, '-o=jsonpath={.status.phase}'])
    await expect.poll(phase, PATIENT).toBe('Succeeded')

    expect(await cli.host(['logs', 'stranger', ...at])).toBe('ECONNREFUSED')
    await cli.host(['delete', 'pod', 'stranger', ...at, '--now'])
  })

  test('loses no acknowledged write when the pod of kine is deleted', async () => {
    const lost = await lostWhile(cli, ['light', ...at], () =>
      cli.host(['delete', 'pod', ...at, ...KINE, '--now']),
    )

    expect(lost).toEqual([])
    await expect.poll(found, PATIENT).toContain('kept')
    await untilReady()
  })

  test('keeps its objects over a pause, of which it takes no snapshot', async () => {
    await cli.ok(['pause', 'light', ...at])
    const paused = await cli.host(['get', 'pods', ...at, '-o=name'])
    await cli.ok(['resume', 'light', ...at])

    expect(paused).toBe('')
    expect(await found()).toContain('kept')
    expect(await cli.json(['snapshot', 'list', '--json'])).toMatchObject({ items: [] })
    await untilReady()
  })

  test('is restored from a snapshot of all keys, and has its usual pod then', async () => {
    const taken = await cli.json(['snapshot', 'create', 'light', ...at, '--output', file, '--json'])
    const known = Number(await cli.kubectlOk(['create', 'configmap', 'later', REVISION]))
    await cli.ok(['restore', 'light', ...at, '--from', file, '--force', '--yes'])

    expect(taken).toMatchObject({ format: 'logical' })
    await expectNewRevisions(cli, known)
    expect(await found()).toContain('kept')
    expect(await found()).not.toContain('later')
    const pod = await cli.hostJson(['get', 'pod', 'vplane-light-kine-0', ...at])
    expect(pod.spec).not.toHaveProperty('initContainers')
    await untilReady()
  })

  test('keeps its volume over a deletion that keeps the data', async () => {
    await cli.ok(['delete', 'light', ...at, '--keep-data', '--yes'])
    const kept = await cli.host(['get', 'pods,persistentvolumeclaims', ...at, '-o=name'])
    const flags = ['--file', spec, '--expose', 'node-port', '--adopt', '--connect']
    await cli.ok(['create', 'light', ...at, ...flags])

    expect(kept.trim()).toBe('persistentvolumeclaim/data-vplane-light-kine-0')
    expect(await found()).toContain('kept')
    await untilReady()
  })

  test.for([
    ['metrics', 'light', '--component', 'kine'],
    ['scale', 'light', '--etcd', '3'],
    ['move', 'light', '--driver', 'local', '--yes'],
    ['set', 'light', 'backup.schedule=daily', 'backup.store=s3://bucket', '--yes'],
    ['set', 'light', 'etcd.resources.limits.memory=1Gi', '--yes'],
    ['set', 'light', 'store.etcd={}', 'store.kine-', '--yes'],
  ])('refuses "%s %s %s" with what to do instead', async (args) => {
    const { code, stderr } = await cli.run([...args, ...at])

    expect(code, stderr).toBe(2)
    expect(stderr).toContain('hint: ')
  })

  test('has two kube-apiservers on one kine, whose memory can change', async () => {
    await cli.ok(['scale', 'light', ...at, '--api-server', '2', '--yes'])
    await cli.ok(['set', 'light', ...at, 'store.resources.limits.memory=300Mi', '--yes'])

    const limit = '-o=jsonpath={.items[0].spec.containers[0].resources.limits.memory}'
    expect(await cli.host(['get', 'pods', ...at, ...KINE, limit])).toBe('300Mi')
    // Each kube-apiserver connects to kine again in its own time.
    await expect.poll(found, PATIENT).toContain('kept')
    await cli.ok(['scale', 'light', ...at, '--api-server', '1', '--yes'])
  })

  test('pauses itself, and is woken by any client', async () => {
    await cli.ok(['set', 'light', ...at, 'idle=30s', 'wake.by=any', '--yes'])
    const text = await cli.ok(['kubeconfig', 'light', ...at, '--embed-credentials'])
    writeFileSync(embedded, text, { mode: 0o600 })
    await expect.poll(async () => (await described()).status, PATIENT).toBe('Paused')
    expect(await cli.host(['get', 'pods', ...at, ...KINE, '-o=name'])).toBe('')

    const args = ['get', 'configmap', 'kept', '-o=name', '--kubeconfig', embedded]
    expect(await untilAnswered(() => cli.kubectl(args))).toBe('configmap/kept\n')

    await expect.poll(async () => (await described()).wakes?.count, PATIENT).toBe(1)
    await cli.ok(['set', 'light', ...at, 'idle-', 'wake-', '--yes'])
    await cli.ok(['resume', 'light', ...at])
  })

  test('never starts with an empty volume, but is restored to one', async () => {
    await cli.ok(['snapshot', 'create', 'light', ...at, '--output', file, '--force'])
    await cli.ok(['pause', 'light', ...at])
    await cli.host(['delete', 'persistentvolumeclaim', 'data-vplane-light-kine-0', ...at])

    const resumed = await cli.run(['resume', 'light', ...at])
    const repaired = await cli.run(['repair', 'light', ...at, '--yes'])

    expect([resumed.code, repaired.code], resumed.stderr + repaired.stderr).toEqual([7, 7])
    expect(resumed.stderr).toContain('its data is lost')
    expect(repaired.stderr).toContain('its data is lost')
    await cli.ok([
      'restore',
      'light',
      ...at,
      '--from',
      file,
      '--without-secrets',
      '--force',
      '--yes',
    ])
    await cli.ok(['connect', 'light', ...at])
    expect(await found()).toContain('kept')
    await untilReady()
  })

  test('leaves nothing', async () => {
    await cli.ok(['delete', 'light', ...at, '--yes'])

    const left = await cli.host(['get', 'all,pvc,secret,networkpolicy', ...at, '-o=name'])
    expect(left).toBe('')
    expect([...(await hostObjects(cli.lab, namespace)).keys()].join('\n')).not.toContain('light')
  })

  async function found(): Promise<string[]> {
    const path = 'jsonpath={.items[*].metadata.name}'
    return (await cli.kubectlOk(['get', 'configmaps', '-o', path])).split(' ')
  }

  function described(): Promise<PlaneDetails> {
    return cli.json(['describe', 'light', ...at, '--json'])
  }

  async function untilReady(): Promise<void> {
    await expect.poll(async () => (await described()).status, PATIENT).toBe('Ready')
  }
})

/** A pod that is not of the plane and runs a command, once policies of the host apply to it. */
function stranger(command: readonly string[]): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'stranger' },
    spec: {
      restartPolicy: 'Never',
      securityContext: {
        runAsNonRoot: true,
        runAsUser: 1000,
        seccompProfile: { type: 'RuntimeDefault' },
      },
      containers: [
        {
          name: 'client',
          image: NODE_IMAGE,
          command,
          securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
        },
      ],
    },
  }
}
