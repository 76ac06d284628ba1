import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { packageRoot } from '../../../src/shared/package-root.ts'
import { describeOnHost, isExternal } from '../../lab/describe-lab.ts'
import { metricsServerChart } from '../../lab/addons/metrics-server.ts'
import { bundleController, RUN_BUNDLE } from '../../support/api/bundle-controller.ts'
import { forwardedPort } from '../../support/machine/forwarded-port.ts'
import { loadGoProgram } from '../../support/programs/load-go-program.ts'
import { createSyncedPlane, type SyncedPlane } from '../../support/host/planes/synced-plane.ts'
import { until } from '../../support/until.ts'
import {
  cronJob,
  deployment,
  job,
  nodeContainer,
  pod,
  serverContainer,
  service,
  shellContainer,
  statefulSet,
} from '../../support/host/planes/workloads.ts'
import { toHostLabelKey } from '../../../src/syncer/translate/host-keys.ts'

const EXAMPLE = join(packageRoot(), 'test/example-controller')
const SLEEP = 'setInterval(() => {}, 1000)'

// In their order: the Deployment and the client of the first test are used by others, and the last one removes it all.
describeOnHost('workloads of a plane', { shuffle: false }, () => {
  let plane: SyncedPlane
  /** The image of a controller with client-go. */
  let greeter: string
  let helm: string
  const ok = (...args: string[]) => plane.ok(...args)

  beforeAll(async () => {
    plane = await createSyncedPlane(['--set', 'policies.services.types=[NodePort, LoadBalancer]'])
    // Their first builds take longer than a test may.
    if (!isExternal) {
      greeter = await loadGoProgram(plane.cli.lab, 'controller')
      helm = await plane.cli.lab.helm()
      await plane.cli.lab.loadMetricsServerImage()
    }
    // Its minute passes while others are looked at.
    await plane.apply(cronJob('tick', [shellContainer('tick', 'echo tick')]))
  })
  afterAll(() => plane[Symbol.asyncDispose]())

  test('a Deployment rolls over to a new template, and back', async () => {
    await plane.apply(deployment('web', { replicas: 3, containers: [serverContainer()] }))
    await plane.apply(pod('client', [nodeContainer('client', SLEEP)]))
    await ok('rollout', 'status', 'deployment/web', '--timeout=120s')

    await ok('set', 'env', 'deployment/web', 'COLOR=green')
    await ok('rollout', 'status', 'deployment/web', '--timeout=120s')
    await until(
      'three green pods on the host',
      async () => (await colors()) === 'green green green',
    )
    await ok('rollout', 'undo', 'deployment/web')
    await ok('rollout', 'status', 'deployment/web', '--timeout=120s')

    await until('three pods without a color', async () => (await colors()) === '')
    await ok('wait', 'pod/client', '--for=condition=Ready', '--timeout=120s')
  })

  test('a Job runs as often as it says, and one that fails says how', async () => {
    await plane.apply(
      job('counts', [shellContainer('counts', 'echo done')], { completions: 3, parallelism: 2 }),
      job('fails', [shellContainer('fails', 'exit 3')], { backoffLimit: 0 }),
    )

    await ok('wait', 'job/counts', '--for=condition=Complete', '--timeout=120s')
    await ok('wait', 'job/fails', '--for=condition=Failed', '--timeout=120s')

    const ended = '{.items[*].status.containerStatuses[0].state.terminated.exitCode}'
    const jsonpath = ['--output', `jsonpath=${ended}`]
    expect(await ok('get', 'pods', '--selector=job-name=counts', ...jsonpath)).toBe('0 0 0')
    expect(await ok('get', 'pods', '--selector=job-name=fails', ...jsonpath)).toBe('3')
    await expect.poll(() => ok('logs', '--selector=job-name=counts')).toBe('done\ndone\ndone\n')
  })

  test('init containers come first, and sidecars serve until the others have ended', async () => {
    const mount = { volumeMounts: [{ name: 'shared', mountPath: '/shared' }] }
    const ask = `fetch('http://localhost:8080/hostname').then((answer) => answer.text())
  .then((name) => console.log(require('node:fs').readFileSync('/shared/file', 'utf8').trim(), name))`
    const containers = [nodeContainer('main', ask, mount)]
    const spec = {
      restartPolicy: 'Never',
      initContainers: [
        shellContainer('first', 'echo before > /shared/file', mount),
        serverContainer({
          restartPolicy: 'Always',
          startupProbe: { httpGet: { path: '/hostname', port: 8080 }, periodSeconds: 1 },
        }),
      ],
      volumes: [{ name: 'shared', emptyDir: {} }],
    }
    await plane.apply(pod('assisted', containers, spec))

    await ok('wait', 'pod/assisted', '--for=jsonpath={.status.phase}=Succeeded', '--timeout=120s')

    await expect.poll(() => ok('logs', 'assisted', '--container=main')).toBe('before assisted\n')
  })

  test('a projected volume holds what the plane has, with a token of the plane', async () => {
    await ok('create', 'configmap', 'settings', '--from-literal=word=hello')
    await ok('create', 'secret', 'generic', 'keys', '--from-literal=key=sesame')
    const sources = [
      { configMap: { name: 'settings' } },
      { secret: { name: 'keys', items: [{ key: 'key', path: 'deep/key' }] } },
      {
        downwardAPI: {
          items: [
            { path: 'name', fieldRef: { fieldPath: 'metadata.name' } },
            { path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } },
          ],
        },
      },
      { serviceAccountToken: { path: 'token', audience: 'vault', expirationSeconds: 600 } },
    ]
    const mount = { volumeMounts: [{ name: 'all', mountPath: '/all' }] }
    const volumes = [{ name: 'all', projected: { sources } }]
    await plane.apply(pod('reader', [shellContainer('reader', 'sleep 3600', mount)], { volumes }))
    await ok('wait', 'pod/reader', '--for=condition=Ready', '--timeout=120s')

    const read = (file: string) => ok('exec', 'reader', '--', 'cat', `/all/${file}`)
    expect(await read('word')).toBe('hello')
    expect(await read('deep/key')).toBe('sesame')
    expect(await read('name')).toBe('reader')
    expect(await read('labels')).toBe('app="reader"')
    expect(claimsOf(await read('token'))).toMatchObject({
      aud: ['vault'],
      iss: 'https://kubernetes.default.svc.cluster.local',
      sub: 'system:serviceaccount:default:default',
      'kubernetes.io': { pod: { name: 'reader' } },
    })
  })

  test('a change of a ConfigMap reaches a pod that runs', async () => {
    await ok('patch', 'configmap', 'settings', '--patch', '{"data":{"word":"bye"}}')
    // A kubelet that has a reason to look at a pod reads what is new at once, and within a minute or two otherwise.
    const touch = () => ok('annotate', 'pod', 'reader', `seen=${Date.now()}`, '--overwrite')

    await until('the new word', async () => {
      await touch()
      return (await ok('exec', 'reader', '--', 'cat', '/all/word')) === 'bye'
    })
  })

  test('exec, cp and attach reach into a container', async () => {
    // What it says in the moment of its end may not reach who is attached, on any cluster.
    const echo = 'while read -r line; do echo "got $line"; done; sleep 3'
    const stdin = { stdin: true, stdinOnce: true }
    await plane.apply(
      pod('shell', [shellContainer('shell', echo, stdin)], { restartPolicy: 'Never' }),
    )
    await ok('wait', 'pod/shell', '--for=condition=Ready', '--timeout=120s')
    const [sent, returned] = ['sent', 'returned'].map((name) => join(plane.cli.root, name))
    await writeFile(sent ?? '', randomBytes(1024 ** 2))
    const kubectl = (args: string[], input: string) => plane.cli.kubectl(args, { input })

    const command = ['exec', '-i', 'shell', '--', 'sh', '-c', 'cat; echo so much >&2; exit 7']
    expect(await kubectl(command, 'through')).toMatchObject({
      code: 7,
      stdout: 'through',
      stderr: expect.stringContaining('so much'),
    })
    await ok('cp', sent ?? '', 'shell:/tmp/file')
    await ok('cp', 'shell:/tmp/file', returned ?? '')
    expect(await readFile(returned ?? '')).toEqual(await readFile(sent ?? ''))
    expect(await kubectl(['attach', '-i', 'shell'], 'one\ntwo\n')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('got one\ngot two\n'),
    })
    // The container ends with its input, which ends with the first who is attached.
    await ok('wait', 'pod/shell', '--for=jsonpath={.status.phase}=Succeeded', '--timeout=120s')
  })

  test('logs -f follows a container to its end', async () => {
    const count = 'for i in 1 2 3 4 5; do echo "line $i"; sleep 0.3; done'
    await plane.apply(pod('talker', [shellContainer('talker', count)], { restartPolicy: 'Never' }))
    await until('the first line', async () =>
      (await plane.cli.kubectl(['logs', 'talker'])).stdout.includes('line 1'),
    )

    const lines = (await ok('logs', '--follow', 'talker')).trim().split('\n')

    expect(lines).toEqual([1, 2, 3, 4, 5].map((line) => `line ${line}`))
  })

  test('port-forward reaches a pod, and one of a Service', async () => {
    await ok('expose', 'deployment', 'web', '--port=80', '--target-port=8080')
    const names = await ok('get', 'pods', '--selector=app=web', '--output=name')
    const [first = ''] = names.split('\n')

    expect(`pod/${await askForwarded(first, 8080)}`).toBe(first)
    expect(names).toContain(await askForwarded('service/web', 80))
  })

  test('a headless Service has the addresses of its pods', async () => {
    const named = ['--name=web-pods', '--port=8080', '--cluster-ip=None']
    await ok('expose', 'deployment', 'web', ...named)
    const found = async () =>
      inClient(`const { resolve4 } = require('node:dns').promises
resolve4('web-pods.default.svc.cluster.local').then((all) => console.log(all.sort().join(' ')), () => {})`)
    const ips = await ok(
      'get',
      'pods',
      '--selector=app=web',
      '--output=jsonpath={.items[*].status.podIP}',
    )

    await until(
      'all addresses',
      async () => (await found()) === ips.split(' ').toSorted().join(' '),
    )
  })

  test('a Service of the type NodePort listens on nodes at its port', async () => {
    await ok('expose', 'deployment', 'web', '--name=web-node', '--port=8080', '--type=NodePort')
    const port = await ok(
      'get',
      'service',
      'web-node',
      '--output=jsonpath={.spec.ports[0].nodePort}',
    )
    const node = await ok('get', 'pod', 'client', '--output=jsonpath={.status.hostIP}')

    await until('an answer', async () =>
      (await askFromClient(`${node}:${port}`)).startsWith('web-'),
    )
  })

  test('an ExternalName is another name in the plane alone', async () => {
    const target = 'web.default.svc.cluster.local'
    await ok('create', 'service', 'externalname', 'alias', `--external-name=${target}`)

    await until('an answer', async () => (await askFromClient('alias')).startsWith('web-'))
    expect(await plane.onHost('get', 'services', '--output=name')).not.toContain('alias')
  })

  test.skipIf(isExternal)(
    'a Service shows what the load balancer of the host gave it',
    async () => {
      await ok('expose', 'deployment', 'web', '--name=web-wide', '--port=80', '--type=LoadBalancer')
      const service = ['service', 'web-wide-x-default-x-dev']
      await until('the host Service', () =>
        plane.onHost('get', ...service).then(
          () => true,
          () => false,
        ),
      )
      const status = { status: { loadBalancer: { ingress: [{ ip: '192.0.2.7' }] } } }
      const patch = ['--subresource=status', '--type=merge', `--patch=${JSON.stringify(status)}`]
      await plane.onHost('patch', ...service, ...patch)

      const path = '--output=jsonpath={.status.loadBalancer.ingress[0].ip}'
      await until(
        'its address',
        async () => (await ok('get', 'service', 'web-wide', path)) === '192.0.2.7',
      )
    },
  )

  test('a controller with the client of Node.js finds the plane by its in-cluster config', async () => {
    const bundle = await bundleController(plane.cli.root)
    for (const folder of ['crd', 'rbac']) {
      await ok('apply', '--filename', join(EXAMPLE, 'config', folder))
    }
    await bindRole('greeting-controller', 'greeting-controller')
    await ok('create', 'configmap', 'greeting-controller', `--from-file=${bundle}`)
    const mount = { volumeMounts: [{ name: 'app', mountPath: '/app' }] }
    const volumes = [{ name: 'app', configMap: { name: 'greeting-controller' } }]
    const spec = { volumes, serviceAccountName: 'greeting-controller' }
    await plane.apply(
      pod('greeting-controller', [nodeContainer('controller', RUN_BUNDLE, mount)], spec),
      {
        apiVersion: 'example.com/v1',
        kind: 'Greeting',
        metadata: { name: 'ada' },
        spec: { whom: 'Ada' },
      },
    )

    await until('a greeting', async () => (await dataOf('ada')).includes('Hello, Ada!'))
    await ok('wait', 'greeting/ada', '--for=jsonpath={.status.ready}=true', '--timeout=120s')
  })

  test.skipIf(isExternal)('so does one with client-go', async () => {
    await bindRole('greeter', 'edit')
    const container = { name: 'greeter', image: greeter, imagePullPolicy: 'IfNotPresent' }
    await plane.apply(pod('greeter', [container], { serviceAccountName: 'greeter' }))
    await ok('create', 'configmap', 'visitor', '--from-literal=name=Grace')

    await until('a greeting', async () => (await dataOf('visitor')).includes('Hello, Grace'))
  })

  test('pods of a StatefulSet have names that stay', async () => {
    await plane.apply(service('db', { clusterIP: 'None' }), statefulSet('db'))
    await ok('rollout', 'status', 'statefulset/db', '--timeout=120s')
    const uid = ['get', 'pod', 'db-0', '--output=jsonpath={.metadata.uid}']
    const before = await ok(...uid)

    for (const name of ['db-0.db', 'db-1.db.default.svc.cluster.local']) {
      await until(name, async () => (await askFromClient(`${name}:8080`)) === name.slice(0, 4))
    }
    for (const name of ['db-0', 'db-1']) {
      const connect = ['exec', name, '--', '/agnhost', 'connect', 'db-1.db:8080', '--timeout=5s']
      await until(`a way from ${name}`, async () => (await plane.cli.kubectl(connect)).code === 0)
    }
    await ok('delete', 'pod', 'db-0')
    await ok('rollout', 'status', 'statefulset/db', '--timeout=120s')

    await until('db-0 again', async () => (await askFromClient('db-0.db:8080')) === 'db-0')
    expect(await ok(...uid)).not.toBe(before)
  })

  test.skipIf(isExternal)('a helm chart of others is installed as it is', async () => {
    const { flags, folder } = await metricsServerChart()
    const inPlane = (...words: string[]) =>
      plane.cli.ok(['connect', 'dev', ...plane.place, '--', helm, ...words, '--namespace', 'shop'])

    await inPlane('install', 'metrics', folder, ...flags, '--create-namespace')
    await until('its server to serve', async () => {
      const logs = ['logs', 'deployment/metrics-metrics-server', '--namespace', 'shop']
      return (await plane.cli.kubectl(logs)).stdout.includes('Serving securely')
    })
    const releases = await inPlane('list')
    await inPlane('uninstall', 'metrics', '--wait')

    expect(releases).toMatch(/^metrics\s.*\sdeployed\s/m)
    await until('its pod to be gone', async () => {
      const left = await plane.onHost('get', 'pods', '--output=name')
      return !left.includes('metrics')
    })
  })

  test('a CronJob runs when its time comes', async () => {
    await ok(
      'wait',
      'cronjob/tick',
      '--for=jsonpath={.status.lastSuccessfulTime}',
      '--timeout=120s',
    )

    await ok('delete', 'cronjob', 'tick')
    await until('its pods to be gone', async () => {
      const left = await plane.onHost('get', 'pods', '--output=name')
      return !left.includes('tick')
    })
  })

  test('nothing of them is left on the host when the plane is deleted', async () => {
    await plane.cli.ok(['delete', 'dev', ...plane.place, '--yes'])

    const left = await plane.cli.host(['get', 'namespaces', '--output=name'])
    expect(left).not.toContain(plane.place[1])
  })

  /** The variable COLOR of all pods of the Deployment that the host has. */
  async function colors(): Promise<string> {
    const path = '{.items[*].spec.containers[0].env[?(@.name=="COLOR")].value}'
    const selector = `--selector=${toHostLabelKey({ labels: [] }, 'app')}=web`
    return plane.onHost('get', 'pods', selector, `--output=jsonpath=${path}`)
  }

  /** Runs a script in the pod of the client, and returns what it printed. */
  async function inClient(script: string): Promise<string> {
    return (await ok('exec', 'client', '--', 'node', '-e', script)).trim()
  }

  /** The name of the pod that answers the client at an address; empty when none does. */
  async function askFromClient(address: string): Promise<string> {
    return inClient(`fetch('http://${address}/hostname', { signal: AbortSignal.timeout(2000) })
  .then((answer) => answer.text()).then(console.log, () => {})`)
  }

  /** The name of the pod that answers this machine through a port-forward. */
  async function askForwarded(target: string, port: number): Promise<string> {
    await using forwarded = await forwardedPort(plane.cli, target, { port })
    return await (await fetch(`${forwarded.url}/hostname`)).text()
  }

  async function dataOf(configMap: string): Promise<string> {
    return ok('get', 'configmap', configMap, '--ignore-not-found', '--output=jsonpath={.data}')
  }

  /** Makes a service account that may do what a ClusterRole says. */
  async function bindRole(account: string, role: string): Promise<void> {
    await ok('create', 'serviceaccount', account)
    const flags = [`--clusterrole=${role}`, `--serviceaccount=default:${account}`]
    await ok('create', 'clusterrolebinding', account, ...flags)
  }
})

function claimsOf(token: string): unknown {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
}
