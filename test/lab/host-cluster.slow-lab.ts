import { globSync, readdirSync, readFileSync } from 'node:fs'
import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { DEFAULT_KUBERNETES_VERSION } from '../../src/control-plane/spec/kubernetes-version.ts'
import { platformOf } from '../../src/drivers/local/binaries/cache/platform.ts'
import { processEnvironment } from '../../src/shared/environment.ts'
import { pathsOf } from '../../src/shared/paths.ts'
import { describeInOwnLab, describeOnHost } from './describe-lab.ts'
import { AGNHOST_IMAGE, BUSYBOX_IMAGE } from './images/lab-images.ts'
import { dockerArchive } from './images/docker-archive.ts'
import { NODE_IMAGE } from './images/node-recipe.ts'
import { type Lab, startLab } from './lab.ts'
import { labFolder } from './lab-folder.ts'
import { makeNamespace } from './make-namespace.ts'

const WAIT = '--timeout=120s'

describeOnHost('the shared cluster', () => {
  test('runs a pod that finds a Service by its name', async () => {
    await using lab = await startLab()
    await using namespace = await makeNamespace(lab)
    const script = `
      const dns = require('node:dns').promises
      const net = require('node:net')
      dns.lookup('kubernetes.default.svc.cluster.local').then(({ address }) => {
        net.connect(443, address, () => { console.log(address); process.exit(0) })
      })`

    await namespace.apply(pod('finder', { image: NODE_IMAGE, args: ['-e', script] }))
    await namespace.kubectl('wait', 'pod/finder', '--for=jsonpath={.status.phase}=Succeeded', WAIT)

    expect(await namespace.kubectl('logs', 'finder')).toBe('10.96.0.1')
  })

  test.for([
    ['the default StorageClass', {}],
    ['volumes that all nodes have', { storageClassName: 'shared-path' }],
  ] as const)('binds a volume of %s', async ([, storageClass]) => {
    await using lab = await startLab()
    await using namespace = await makeNamespace(lab)
    const write = pod('writer', {
      image: BUSYBOX_IMAGE,
      command: ['sh', '-c', 'echo kept > /data/file && cat /data/file'],
      volumeMounts: [{ name: 'data', mountPath: '/data' }],
    })

    await namespace.apply({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'data' },
      spec: {
        ...storageClass,
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: '1Mi' } },
      },
    })
    await namespace.apply({
      ...write,
      spec: {
        ...write.spec,
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
      },
    })
    await namespace.kubectl('wait', 'pod/writer', '--for=jsonpath={.status.phase}=Succeeded', WAIT)

    expect(await namespace.kubectl('logs', 'writer')).toBe('kept')
  })

  test("has upstream's file capability on kube-apiserver: without NET_BIND_SERVICE it cannot start", async () => {
    await using lab = await startLab()
    await using namespace = await makeNamespace(lab)
    const version = (name: string, add: string[]) =>
      pod(name, {
        image: `registry.k8s.io/kube-apiserver:v${DEFAULT_KUBERNETES_VERSION}`,
        command: ['kube-apiserver', '--version'],
        securityContext: { capabilities: { drop: ['ALL'], add } },
      })

    await namespace.apply(version('without', []))
    await namespace.apply(version('with', ['NET_BIND_SERVICE']))
    await namespace.kubectl('wait', 'pod/without', '--for=jsonpath={.status.phase}=Failed', WAIT)
    await namespace.kubectl('wait', 'pod/with', '--for=jsonpath={.status.phase}=Succeeded', WAIT)

    expect(await namespace.kubectl('logs', 'without')).toContain('operation not permitted')
    expect(await namespace.kubectl('logs', 'with')).toContain(DEFAULT_KUBERNETES_VERSION)
  })

  test('has administrators of one namespace who may do nothing elsewhere', async () => {
    await using lab = await startLab()
    await using namespace = await makeNamespace(lab)
    await using folder = await mkdtempDisposable(join(tmpdir(), 'lab-test-'))
    const kubeconfig = join(folder.path, 'kubeconfig')
    await writeFile(kubeconfig, await lab.namespaceAdminKubeconfig(namespace.name))
    const can = (...words: string[]) =>
      lab
        .kubectl(['--kubeconfig', kubeconfig, 'auth', 'can-i', ...words])
        .then(() => true)
        .catch(() => false)

    const allowed = await Promise.all([
      can('create', 'deployments'),
      can('create', 'roles'),
      can('create', 'deployments', '--namespace', 'default'),
      can('list', 'nodes'),
    ])

    expect(allowed).toEqual([true, true, false, false])
  })
})

// With the time that others may take before it is their turn.
const TURN = { timeout: 3_600_000 }

describeInOwnLab('a cluster of its own', TURN, () => {
  test('has nodes whose pods reach each other, beside another cluster, and leaves nothing', async () => {
    const lab = await startLab({ isOwn: true, nodes: 2 })
    const found = () => traces(lab)
    {
      await using down = lab
      await using namespace = await makeNamespace(down)
      const [first = '', second = ''] = down.nodes
      const serve = ['netexec', '--http-port=8080']
      const server = pod('server', { image: AGNHOST_IMAGE, args: serve }, second)
      await namespace.apply({
        ...server,
        metadata: { ...server.metadata, labels: { app: 'server' } },
      })
      await namespace.apply({
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 'web' },
        spec: { selector: { app: 'server' }, ports: [{ port: 80, targetPort: 8080 }] },
      })
      await namespace.kubectl('wait', 'pod/server', '--for=condition=Ready', WAIT)
      const script = `
        const again = () => fetch('http://web/hostname').then((a) => a.text())
          .then((text) => { console.log(text); process.exit(0) }, () => setTimeout(again, 100))
        again()`
      await namespace.apply(pod('client', { image: NODE_IMAGE, args: ['-e', script] }, first))
      const done = '--for=jsonpath={.status.phase}=Succeeded'
      await namespace.kubectl('wait', 'pod/client', done, WAIT)

      expect(await namespace.kubectl('logs', 'client')).toBe('server')
      expect(Object.values(found()).map((each) => each.length > 0)).toEqual([true, true, true])
    }

    expect(found()).toEqual({ interfaces: [], folders: [], groups: [] })
    expect(readFileSync('/proc/self/mountinfo', 'utf8')).not.toContain(lab.name)
  })

  test('continues after its API server was away, and takes images of others', async () => {
    await using lab = await startLab({ isOwn: true })
    await using folder = await mkdtempDisposable(join(tmpdir(), 'lab-test-'))
    const archive = join(folder.path, 'image.tar')
    const architecture = platformOf().arch
    const image = { name: 'example.com/some/image:1' }

    await lab.stopApiServer()
    await expect(lab.kubectl(['get', 'nodes', '--request-timeout=2s'])).rejects.toThrow(/refused/)
    await lab.startApiServer()
    await writeFile(archive, dockerArchive({ architecture, entries: [], images: [image] }))
    await lab.loadImage(archive)

    expect(await lab.kubectl(['get', 'nodes', '--output', 'name'])).toBe(`node/${lab.nodes[0]}`)
    const socket = '/run/containerd/containerd.sock'
    const list = ['ctr', '--address', socket, '--namespace', 'k8s.io', 'images', 'ls', '--quiet']
    expect(await lab.execOnNode(list)).toContain(image.name)
  })
})

interface Container {
  image: string
  command?: string[]
  args?: string[]
  securityContext?: object
  volumeMounts?: object[]
}

function pod(name: string, container: Container, nodeName?: string) {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: {
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: 1,
      containers: [{ name, imagePullPolicy: 'Never', ...container }],
      ...(nodeName === undefined ? {} : { nodeName }),
    },
  }
}

/** What this machine shows of a cluster. */
function traces({ kubeconfig, name }: Lab) {
  const { clusters } = labFolder(pathsOf(processEnvironment()).cache)
  const [, network] = /server: "https:\/\/10\.99\.(\d+)\./.exec(kubeconfig) ?? []
  return {
    interfaces: Object.keys(networkInterfaces()).filter((each) => each === `vplane-lab${network}`),
    folders: readdirSync(clusters).filter((each) => each === name),
    // In version 2 of control groups there is one tree, else one for each controller.
    groups: globSync(`/sys/fs/cgroup/{.,*}/vplane-lab/${name}-*`),
  }
}
