import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { recordsAt, textAt } from '../../../src/shared/json-fields.ts'
import { conditionOf } from '../../../src/shared/kube/kube-object.ts'
import { parseYaml } from '../../../src/shared/yaml/yaml.ts'
import { waitFor } from '../../../src/shared/wait.ts'
import { describeOnHost } from '../../lab/describe-lab.ts'
import { createHostCli, type HostCli, RESTRICTED } from '../../support/host/host-cli.ts'

const NESTED = 'nested.vplane.dev/v1beta1'
const PARTS = ['nestedpki', 'nestedetcd', 'nestedkas', 'nestedkcm']

const COREDNS = `
apiVersion: v1
kind: ServiceAccount
metadata: { name: addon-dns, namespace: kube-system }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: { name: addon-dns }
rules:
  - { apiGroups: [''], resources: [endpoints, services, pods, namespaces], verbs: [list, watch] }
  - { apiGroups: [discovery.k8s.io], resources: [endpointslices], verbs: [list, watch] }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: addon-dns }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: addon-dns }
subjects: [{ kind: ServiceAccount, name: addon-dns, namespace: kube-system }]
---
apiVersion: v1
kind: ConfigMap
metadata: { name: addon-dns, namespace: kube-system }
data:
  Corefile: |
    .:8053 {
      ready :8181
      kubernetes cluster.local
    }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: addon-dns, namespace: kube-system }
spec:
  selector: { matchLabels: { app: addon-dns } }
  template:
    metadata: { labels: { app: addon-dns } }
    spec:
      serviceAccountName: addon-dns
      containers:
        - name: coredns
          image: registry.k8s.io/coredns/coredns:v1.14.6
          args: [-conf, /etc/coredns/Corefile]
          readinessProbe: { httpGet: { path: /ready, port: 8181 }, periodSeconds: 1 }
          volumeMounts: [{ name: config, mountPath: /etc/coredns }]
      volumes: [{ name: config, configMap: { name: addon-dns } }]
`

// In their order: all of them are about one NestedControlPlane.
describeOnHost('nested control planes', { shuffle: false }, () => {
  let cli: HostCli
  let operator: string
  let namespace: string
  /** Templates are cluster-wide: their names have that of the namespace. */
  const template = (name: string) => `${namespace}-${name}`
  const clusterNamespace = async (): Promise<string> =>
    (await read()).status?.clusterNamespace?.name ?? ''
  const applyTemplate = (name: string, spec: object) =>
    cli.host(['apply', '--filename', '-'], {
      apiVersion: NESTED,
      kind: 'NestedControlPlaneTemplate',
      metadata: { name: template(name), labels: { test: namespace } },
      spec,
    })
  const applyPlane = (templateName: string) =>
    cli.host(['apply', '--filename', '-'], {
      apiVersion: NESTED,
      kind: 'NestedControlPlane',
      metadata: { name: 'tenant', namespace },
      spec: { templateRef: { name: template(templateName) } },
    })
  const read = () => cli.hostJson(['get', 'nestedcontrolplane', 'tenant', '--namespace', namespace])
  const readyMessage = async () => textAt(conditionOf(await read(), 'Ready'), 'message') ?? ''
  const part = async (kind: string) =>
    cli.hostJson(['get', kind, 'tenant', '--namespace', await clusterNamespace()])
  const untilReady = () =>
    cli.host([
      'wait',
      'ncp/tenant',
      '--namespace',
      namespace,
      '--for=condition=Ready',
      '--timeout=180s',
    ])
  const inSecret = async (place: string, name: string) => {
    const { data } = await cli.hostJson(['get', 'secret', name, '--namespace', place])
    return Buffer.from(data.value, 'base64').toString()
  }

  beforeAll(async () => {
    cli = await createHostCli()
    operator = await cli.makeNamespace(RESTRICTED)
    namespace = await cli.makeNamespace()
    await cli.ok(['operator', 'install', '--namespace', operator])
  })
  afterAll(async () => {
    const at = ['--namespace', namespace]
    await cli.run(['operator', 'install', '--namespace', operator])
    await cli.host(['delete', 'ncp', '--all', ...at, '--timeout=120s'])
    await cli.host(['delete', 'ncpt', '--selector', `test=${namespace}`])
    await cli.run(['operator', 'uninstall', '--namespace', operator, '--yes'])
    await cli[Symbol.asyncDispose]()
  })

  test('starts its parts in their order, each when the one before it is ready', async () => {
    await applyTemplate('first', {
      version: '1.36',
      etcd: { template: { metadata: { labels: { tier: 'data' } } } },
      kas: { template: { spec: { terminationGracePeriodSeconds: 1 } } },
    })
    await applyPlane('first')
    await waitFor(async () => (await readyMessage()).includes('"apiServer.podTemplate.spec'), {
      what: 'the refusal of the template',
      timeoutMs: 60_000,
    })

    await applyTemplate('second', {
      version: '1.36',
      etcd: { template: { metadata: { labels: { tier: 'data' } } } },
    })
    await applyPlane('second')
    await untilReady()

    const place = await clusterNamespace()
    const { items } = await cli.hostJson(['get', 'all,secrets', '--namespace', place])
    const createdAt = (kind: string, name: string) => {
      const found = recordsAt({ items }, 'items').find(
        (one) => one['kind'] === kind && textAt(one, 'metadata', 'name') === name,
      )
      return textAt(found, 'metadata', 'creationTimestamp') ?? 'missing'
    }
    const order = [
      createdAt('Service', 'vplane-tenant-api'),
      createdAt('Secret', 'vplane-tenant-ca'),
      createdAt('StatefulSet', 'vplane-tenant-etcd'),
      createdAt('Deployment', 'vplane-tenant-kube-apiserver'),
      createdAt('Deployment', 'vplane-tenant-kube-controller-manager'),
    ]
    expect(order).not.toContain('missing')
    expect(order).toEqual(order.toSorted())
    const [, , etcd = '', apiServer = '', controllerManager = ''] = order
    expect(etcd < apiServer && apiServer < controllerManager).toBe(true)
    const statuses = await Promise.all(PARTS.map(async (kind) => (await part(kind)).status))
    expect(statuses.map((status) => status.ready)).toEqual([true, true, true, true])
    expect(statuses[1].addresses).toEqual([
      expect.objectContaining({
        hostname: `vplane-tenant-etcd-0.vplane-tenant-etcd-peers.${place}.svc`,
        port: 2379,
      }),
    ])
    expect(statuses[2].kasService.metadata.name).toBe('vplane-tenant-api')
    const [pod] = await podsOf('etcd')
    expect(pod?.metadata.labels['tier']).toBe('data')
  })

  test('shows Cluster API what its contract asks for', async () => {
    const { spec, status } = await read()

    expect(status).toMatchObject({
      ready: true,
      initialization: { controlPlaneInitialized: true },
      version: expect.stringMatching(/^v1\.36\./),
      replicas: 1,
      readyReplicas: 1,
      availableReplicas: 1,
      upToDateReplicas: 1,
      selector: 'vplane.dev/name=tenant,vplane.dev/component=kube-apiserver',
    })
    const place = await clusterNamespace()
    expect(spec.controlPlaneEndpoint).toEqual({ host: `vplane-tenant-api.${place}.svc`, port: 443 })
    const secret = await cli.hostJson([
      'get',
      'secret',
      'tenant-kubeconfig',
      '--namespace',
      namespace,
    ])
    expect(secret).toMatchObject({
      type: 'cluster.x-k8s.io/secret',
      metadata: { labels: { 'cluster.x-k8s.io/cluster-name': 'tenant' } },
    })
  })

  test('gives its user another kubeconfig, which reads nothing of the host cluster', async () => {
    const place = await clusterNamespace()
    const kubeconfig = await inSecret(place, 'user-kubeconfig')
    expect(kubeconfig).not.toBe(await inSecret(namespace, 'tenant-kubeconfig'))
    const own = join(cli.root, 'user.yaml')
    writeFileSync(own, kubeconfig, { mode: 0o600 })
    const ask = ['kubectl', '--kubeconfig', own, '--server']

    const tunnel = `"$(kubectl config view --minify --output=jsonpath={.clusters[0].cluster.server})"`
    const whoami = [
      ...ask,
      tunnel,
      'auth',
      'whoami',
      '--output=jsonpath={.status.userInfo.username}',
    ]
    const inside = ['sh', '-c', whoami.join(' ')]
    expect(await cli.ok(['connect', 'tenant', '--namespace', place, '--', ...inside])).toBe(
      'nested-user',
    )
    const host = recordsAt(parseYaml(cli.lab.kubeconfig, 'the lab'), 'clusters')[0]
    const server = textAt(host, 'cluster', 'server') ?? ''
    const outside = [...ask.slice(1), server, '--insecure-skip-tls-verify', 'get', 'secrets']
    // kubectl takes no CA together with the flag.
    const withoutAuthority = kubeconfig.replace(/ *certificate-authority-data: .*\n/, '')
    writeFileSync(own, withoutAuthority, { mode: 0o600 })
    await expect(cli.host([...outside, '--namespace', place])).rejects.toThrow('Unauthorized')
  })

  test('is only for who may create one', async () => {
    const editor = ['--as=jane', '--namespace', namespace]
    const grant = ['create', 'rolebinding', 'jane', '--clusterrole=edit', '--user=jane']
    await cli.host([...grant, '--namespace', namespace])
    const own = {
      apiVersion: NESTED,
      kind: 'NestedControlPlane',
      metadata: { name: 'hers', namespace },
      spec: { templateRef: { name: template('second') } },
    }

    await expect(cli.host(['apply', ...editor, '--filename', '-'], own)).rejects.toThrow(
      'forbidden',
    )
  })

  test('is not ready after failed probes, nor with no pods, and ready again afterwards', async () => {
    const scale = async (replicas: number) =>
      cli.host([
        'scale',
        'statefulset/vplane-tenant-etcd',
        `--replicas=${replicas}`,
        '--namespace',
        await clusterNamespace(),
      ])
    const untilUnready = (kind: string, reason: string) =>
      waitFor(
        async () => {
          const { status } = await part(kind)
          return status.ready === false && status.reason === reason
        },
        { what: `a ${kind} that is not ready`, timeoutMs: 60_000 },
      )

    await scale(0)

    await untilUnready('nestedetcd', '0 of 0 pods of etcd are ready')
    await untilUnready('nestedkas', '0 of 1 pods of kube-apiserver are ready')
    expect((await read()).status.ready).toBe(false)
    await scale(1)
    await untilReady()
    expect((await read()).status.initialization.controlPlaneInitialized).toBe(true)
  })

  test('replaces pods of one component after the other for another template, which itself does not change', async () => {
    const patch = ['--type=merge', '--patch', '{"spec":{"version":"1.35"}}']
    await expect(cli.host(['patch', 'ncpt', template('second'), ...patch])).rejects.toThrow(
      'a template does not change',
    )
    const before = await podsOf('kube-apiserver')

    await applyTemplate('third', {
      version: '1.36',
      etcd: { template: { metadata: { labels: { tier: 'data' } } } },
      kas: { template: { metadata: { labels: { tier: 'api' } } } },
    })
    await applyPlane('third')

    await waitFor(
      async () => {
        const pods = await podsOf('kube-apiserver')
        return pods.length === 1 && pods[0]?.metadata.labels['tier'] === 'api'
      },
      { what: 'the new pod of kube-apiserver', timeoutMs: 120_000 },
    )
    await untilReady()
    const after = await podsOf('kube-apiserver')
    expect(after[0]?.metadata.uid).not.toBe(before[0]?.metadata.uid)
  })

  test('refuses an even number of members of etcd', async () => {
    await expect(applyTemplate('even', { etcd: { replicas: 2 } })).rejects.toThrow(
      'spec.etcd.replicas',
    )
  })

  test('is ready with its addons, such as a CoreDNS that the syncer runs', async () => {
    await applyTemplate('dns', {
      version: '1.36',
      controlPlane: { ephemeral: true, sync: {} },
      addons: [{ name: 'coredns', manifests: COREDNS }],
    })
    await cli.host(['apply', '--filename', '-'], {
      apiVersion: NESTED,
      kind: 'NestedControlPlane',
      metadata: { name: 'dns', namespace },
      spec: { templateRef: { name: template('dns') } },
    })

    const at = ['--namespace', namespace]
    await cli.host(['wait', 'ncp/dns', ...at, '--for=condition=Ready', '--timeout=180s'])

    const found = await cli.hostJson(['get', 'ncp', 'dns', ...at])
    const place = String(found.status.clusterNamespace.name)
    const get = ['kubectl', 'get', 'deployment', 'addon-dns', '--namespace=kube-system']
    const printed = await cli.ok([
      'connect',
      'dns',
      '--namespace',
      place,
      '--',
      ...get,
      '--output=json',
    ])
    const available = conditionOf(JSON.parse(printed), 'Available')
    expect(available?.['status']).toBe('True')
    const since = (condition: unknown) => Date.parse(textAt(condition, 'lastTransitionTime') ?? '')
    // The time of the Deployment has no parts of a second.
    expect(since(conditionOf(found, 'Ready'))).toBeGreaterThanOrEqual(since(available))
    expect(since(conditionOf(found, 'AddonsReady'))).toBeGreaterThanOrEqual(since(available))
    await cli.host(['delete', 'ncp', 'dns', ...at, '--timeout=180s'])
  })

  test('takes everything with it', async () => {
    const place = await clusterNamespace()

    await cli.host(['delete', 'ncp', 'tenant', '--namespace', namespace, '--timeout=180s'])

    expect(await cli.host(['get', 'namespace', place, '--ignore-not-found'])).toBe('')
    const secrets = ['get', 'secret', 'tenant-kubeconfig', '--namespace', namespace]
    expect(await cli.host([...secrets, '--ignore-not-found'])).toBe('')
  })

  const podsOf = async (component: string) => {
    const labels = ['--selector', `vplane.dev/component=${component}`]
    const { items } = await cli.hostJson([
      'get',
      'pods',
      '--namespace',
      await clusterNamespace(),
      ...labels,
    ])
    const pods: Array<{ metadata: { name: string; uid: string; labels: Record<string, string> } }> =
      items
    return pods
  }
})
