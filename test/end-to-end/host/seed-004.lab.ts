import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeOnHost } from '../../lab/describe-lab.ts'
import { AGNHOST_IMAGE } from '../../lab/images/lab-images.ts'
import { createHostCli, type HostCli } from '../../support/host/host-cli.ts'
import { crd, versions } from '../../support/api/crd.ts'
import { service, statefulSet } from '../../support/host/planes/workloads.ts'

const NAME = 'my-plane'

// In their order: it is one session, with the command lines of seed 004.
describeOnHost('the session of seed 004', { shuffle: false }, () => {
  let cli: HostCli
  let place: string[]
  const kubectl = (...args: string[]) => cli.kubectlOk(args)
  const currentContext = async () => (await kubectl('config', 'current-context')).trim()

  beforeAll(async () => {
    cli = await createHostCli()
    place = ['--namespace', cli.newNamespace()]
    await cli.lab.loadPlaneImages('1.35')
  })
  afterAll(() => cli[Symbol.asyncDispose]())

  // Seed 004: "vcluster: image: …  # Choose k3s version", "helm upgrade --install my-vcluster … --values vcluster.yaml".
  test('a plane is created from a file that selects its version', async () => {
    const file = join(cli.root, 'plane.yaml')
    writeFileSync(file, 'version: "1.35"\nephemeral: true\nsync: {}\n')

    await cli.ok(['create', NAME, ...place, '--file', file])

    const described = () => cli.json(['describe', NAME, ...place, '--json'])
    await expect
      .poll(described, { timeout: 120_000 })
      .toMatchObject({ status: 'Ready', version: expect.stringMatching(/^1\.35\./) })
    const version = ['kubectl', 'version', '--output', 'json']
    const { serverVersion } = await cli.json(['connect', NAME, ...place, '--', ...version])
    expect(serverVersion.gitVersion).toMatch(/^v1\.35\./)
  })

  // Seed 004: "vcluster connect my-vcluster -n my-vcluster", "vcluster disconnect".
  test('connect switches the current context, and disconnect switches it back', async () => {
    const before = await currentContext()

    await cli.ok(['connect', NAME, ...place])
    const connected = await currentContext()
    const namespaces = await kubectl('get', 'namespace', '--output', 'name')
    await cli.ok(['disconnect', NAME, ...place])

    expect(connected).toContain(NAME)
    expect(namespaces).not.toContain(place[1])
    expect(await currentContext()).toBe(before)
  })

  // Seed 004: "vcluster connect my-vcluster --update-current=false".
  test('a kubeconfig of its own leaves the current context alone', async () => {
    const before = readFileSync(cli.kubeconfig, 'utf8')
    const own = join(cli.root, 'own.kubeconfig')

    writeFileSync(own, await cli.ok(['connect', NAME, ...place, '--print']))
    await cli.ok(['connect', NAME, ...place, '--no-update-current'])

    const { stdout } = await cli.kubectl(['get', 'nodes'], { env: { KUBECONFIG: own } })
    expect(stdout).toBe('')
    expect(await currentContext()).not.toContain(NAME)
    await cli.ok(['disconnect', NAME, ...place])
    expect(readFileSync(cli.kubeconfig, 'utf8')).toBe(before)
  })

  // Seed 004: "vcluster connect my-vcluster -- kubectl get namespaces", "vcluster connect my-vcluster -- bash".
  test('a command runs in the plane without a change of the context', async () => {
    const before = readFileSync(cli.kubeconfig, 'utf8')
    const get = ['kubectl', 'get', 'namespaces', '--output', 'name']

    const direct = await cli.ok(['connect', NAME, ...place, '--', ...get])
    const inShell = await cli.ok(['connect', NAME, ...place, '--', 'bash', '-c', get.join(' ')])

    expect(direct).toContain('namespace/kube-system')
    expect(direct).not.toContain(place[1])
    expect(inShell).toBe(direct)
    expect(readFileSync(cli.kubeconfig, 'utf8')).toBe(before)
  })

  // Seed 004: "kubectl get pods -n kube-system", "kubectl create namespace demo-nginx", "kubectl create deployment …".
  test('a namespace gets a Deployment whose pods run', async () => {
    const demo = ['--namespace', 'demo-nginx']
    await cli.ok(['connect', NAME, ...place])

    expect(await kubectl('get', 'pods', '--namespace', 'kube-system', '--output', 'name')).toBe('')
    await kubectl('create', 'namespace', 'demo-nginx')
    const image = `--image=${AGNHOST_IMAGE}`
    await kubectl('create', 'deployment', 'nginx', ...demo, image, '--', '/agnhost', 'pause')
    await kubectl('rollout', 'status', 'deployment/nginx', ...demo, '--timeout=120s')

    expect(await kubectl('get', 'pods', ...demo)).toMatch(/^nginx-\S+ +1\/1 +Running /m)
  })

  // Seed 004: "Deployments, StatefulSets, CRDs, service accounts, etc. do not sync with the host cluster".
  test('Deployments, StatefulSets, CRDs, roles and service accounts are in the plane alone', async () => {
    const items = [
      crd('seedwidgets', versions('v1')),
      service('data', { clusterIP: 'None' }),
      statefulSet('data'),
    ]
    const list = { apiVersion: 'v1', kind: 'List', items }
    await cli.kubectl(['apply', '--filename', '-'], { input: JSON.stringify(list) })
    await kubectl('create', 'serviceaccount', 'robot')
    await kubectl('create', 'clusterrole', 'seed-reader', '--verb=get', '--resource=pods')
    await kubectl('rollout', 'status', 'statefulset/data', '--timeout=120s')

    const beyond = await cli.host(['get', 'crds,clusterroles,clusterrolebindings', '-o', 'name'])
    const kinds = 'deployments,statefulsets,serviceaccounts,roles'
    const within = await cli.host(['get', kinds, ...place, '--output', 'name'])
    const pods = await cli.host(['get', 'pods', ...place, '--output', 'name'])

    expect(pods).toMatch(/pod\/nginx-.*-x-demo-nginx-x-my-plane/)
    expect(pods).toContain('pod/data-0-x-default-x-my-plane')
    expect(beyond).not.toMatch(/seed/)
    expect(within.split('\n').filter((one) => /nginx|data|robot/.test(one))).toEqual([])
  })

  // Seed 004: "helm delete my-vcluster -n vcluster-my-vcluster".
  test('deleted, it is gone with all that it ran', async () => {
    await cli.ok(['delete', NAME, ...place, '--yes'])

    expect(await cli.host(['get', 'namespaces', '--output', 'name'])).not.toContain(place[1])
    expect(await currentContext()).not.toContain(NAME)
  })
})
