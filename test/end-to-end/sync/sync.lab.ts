import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeOnHost } from '../../lab/describe-lab.ts'
import { AGNHOST_IMAGE } from '../../lab/images/lab-images.ts'
import { createSyncedPlane, type SyncedPlane } from '../../support/host/planes/synced-plane.ts'
import { nodeContainer, pod } from '../../support/host/planes/workloads.ts'
import { until } from '../../support/until.ts'
import { toHostLabelKey } from '../../../src/syncer/translate/host-keys.ts'

const IMAGE = `--image=${AGNHOST_IMAGE}`
const SERVER = ['/agnhost', 'netexec', '--http-port=8080']
const QUICK = ['--grace-period=1', '--wait=true']

// In their order: what the first ones make is used by others, and the last one removes it all.
describeOnHost('a plane that runs pods', { shuffle: false }, () => {
  let plane: SyncedPlane
  const ok = (...args: string[]) => plane.ok(...args)
  beforeAll(async () => {
    plane = await createSyncedPlane()
  })
  afterAll(() => plane[Symbol.asyncDispose]())

  // Seed 004: "All the virtual cluster's started pods are rewritten before being launched", "Deployments … only reside in
  // the virtual cluster"; "fake kubelet endpoint" for logs and exec; "pod port forwarding or container command execution".
  test('serves a Deployment through its Service, by name, to another pod', async () => {
    await ok('create', 'deployment', 'web', IMAGE, '--replicas=3', '--', ...SERVER)
    await ok('expose', 'deployment', 'web', '--port=80', '--target-port=8080')
    await ok('rollout', 'status', 'deployment/web', '--timeout=120s')
    await ok('run', 'client', IMAGE, '--command', '--', ...SERVER)
    await ok('wait', '--for=condition=Ready', 'pod/client', '--timeout=120s')

    for (const name of ['web', 'web.default', 'web.default.svc.cluster.local']) {
      const connect = ['/agnhost', 'connect', `${name}:80`, '--timeout=5s']
      await until(`a way to ${name}`, async () => {
        const { code } = await plane.cli.kubectl(['exec', 'client', '--', ...connect])
        return code === 0
      })
    }
    const onHost = await plane.onHost('get', 'deployments,replicasets', '--output', 'name')

    expect(await ok('logs', 'deployment/web')).toContain('Started HTTP server')
    expect(onHost).not.toContain('web')
  })

  // Seed 004: "The service cluster IPs are shared by the host cluster and virtual cluster."
  test('gives Services the same address on both sides', async () => {
    const address = ['--output', 'jsonpath={.spec.clusterIP}']
    const virtual = await ok('get', 'service', 'web', ...address)
    const host = await plane.onHost('get', 'service', 'web-x-default-x-dev', ...address)
    const api = await ok('get', 'service', 'kubernetes', ...address)
    const endpoint = await plane.onHost('get', 'service', 'vplane-dev-api', ...address)

    expect(virtual).toMatch(/^\d+\.\d+\.\d+\.\d+$/)
    expect(host).toBe(virtual)
    expect(endpoint).toBe(api)
  })

  // Seed 004: "Only ConfigMaps and secrets mounted to pods within the virtual cluster will be synced".
  test('gives pods the ConfigMaps and Secrets that they use, and no others to the host', async () => {
    await ok('create', 'configmap', 'settings', '--from-literal=word=hello')
    await ok('create', 'configmap', 'unused', '--from-literal=word=bye')
    await ok('create', 'secret', 'generic', 'keys', '--from-literal=key=open sesame')
    const script = `const { readFileSync } = require('node:fs')
console.log(process.env.WORD, readFileSync('/keys/key', 'utf8'), process.env.POD, require('node:os').hostname())
setInterval(() => {}, 1000)`
    const env = [
      { name: 'WORD', valueFrom: { configMapKeyRef: { name: 'settings', key: 'word' } } },
      { name: 'POD', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
    ]
    const volumeMounts = [{ name: 'keys', mountPath: '/keys' }]
    const volumes = [{ name: 'keys', secret: { secretName: 'keys' } }]
    await plane.apply(
      pod('reader', [nodeContainer('node', script, { env, volumeMounts })], { volumes }),
    )
    await ok('wait', '--for=condition=Ready', 'pod/reader', '--timeout=120s')

    await until('the words of the pod', async () =>
      (await ok('logs', 'reader')).includes('hello open sesame reader reader'),
    )
    const names = await plane.onHost('get', 'configmaps,secrets', '--output', 'name')
    expect(names).toContain('configmap/settings-x-default-x-dev')
    expect(names).toContain('secret/keys-x-default-x-dev')
    expect(names).not.toContain('unused')

    await ok('delete', 'pod', 'reader', ...QUICK)
    await until('the copies to be gone', async () => {
      const left = await plane.onHost('get', 'configmaps,secrets', '--output', 'name')
      return !/settings-|keys-|reader/.test(left)
    })
  })

  // Seed 004: "service account tokens, and other configurations are updated to point to the virtual cluster".
  test("lets a pod use the plane's own API with its service account", async () => {
    const viewer = ['--clusterrole=view', '--serviceaccount=default:default']
    await ok('create', 'clusterrolebinding', 'viewer', ...viewer)
    const script = `const { readFileSync } = require('node:fs')
const read = (file) => readFileSync('/var/run/secrets/kubernetes.io/serviceaccount/' + file, 'utf8')
const ask = (host) => require('node:https').get(
  'https://' + host + '/api/v1/namespaces/default/pods/asker',
  { ca: read('ca.crt'), headers: { authorization: 'Bearer ' + read('token') } },
  (response) => { let text = ''; response.on('data', (data) => (text += data)).on('end', () => console.log(host, JSON.parse(text).metadata.namespace)) },
)
ask(process.env.KUBERNETES_SERVICE_HOST); ask('kubernetes.default'); ask('kubernetes.default.svc.cluster.local')
setInterval(() => {}, 1000)`
    await plane.apply(pod('asker', [nodeContainer('node', script)]))
    await ok('wait', '--for=condition=Ready', 'pod/asker', '--timeout=120s')

    await until('three answers', async () => {
      const said = await ok('logs', 'asker')
      return said.match(/ default$/gm)?.length === 3
    })
  })

  // Seed 004: "For each pod with the spec.nodeName value … creates a false node."
  test('has a node for each node of the host that its pods are on', async () => {
    const nodes = await ok('get', 'nodes', '--output', 'jsonpath={.items[*].metadata.name}')
    const path = '--output=jsonpath={.items[*].spec.nodeName}'
    const used = await plane.onHost('get', 'pods', '--selector=vplane.dev/synced-by=dev', path)

    expect(nodes.split(' ').toSorted()).toEqual([...new Set(used.split(' '))].toSorted())
    expect(await ok('get', 'nodes')).toMatch(/ Ready /)
  })

  test('continues when its syncer is killed', async () => {
    const pods = ['pods', '--selector', 'vplane.dev/component=syncer']
    await plane.onHost('delete', ...pods, '--grace-period=0', '--force')
    await ok('scale', 'deployment/web', '--replicas=5')

    await ok('rollout', 'status', 'deployment/web', '--timeout=120s')

    // A selector of the host's owner that names a key of the plane's users finds nothing.
    const selected = (key: string) =>
      plane.onHost('get', 'pods', '--selector', `${key}=web`, '--output', 'name')
    const running = await selected(toHostLabelKey({ labels: [] }, 'app'))
    expect(await selected('app')).toBe('')
    expect(running.trim().split('\n')).toHaveLength(5)
  })

  test('refuses a pod that could leave its container, and reports it', async () => {
    const volumes = [{ name: 'root', hostPath: { path: '/' } }]
    await plane.apply(pod('escape', [nodeContainer('node', '')], { volumes }))

    await until('the event', async () => {
      const events = ['get', 'events', '--field-selector', 'involvedObject.name=escape']
      return (await ok(...events)).includes('SyncRefused')
    })
    const onHost = await plane.onHost('get', 'pods', '--output', 'name')
    expect(onHost).not.toContain('escape')
    await ok('delete', 'pod', 'escape', ...QUICK)
  })

  test('leaves nothing on the host', async () => {
    const { cli, place } = plane
    await cli.ok(['delete', 'dev', ...place, '--yes'])

    const namespaces = await cli.host(['get', 'namespaces', '--output', 'name'])
    expect(namespaces).not.toContain(place.at(-1))
  })
})
