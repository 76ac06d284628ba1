import { afterAll, beforeAll, expect, test } from 'vitest'
import type { OperatorResult } from '../../../src/cli/results/operator-result.ts'
import { waitFor } from '../../../src/shared/wait.ts'
import { describeOnHost } from '../../lab/describe-lab.ts'
import { createHostCli, type HostCli, RESTRICTED } from '../../support/host/host-cli.ts'
import { HostPlane } from '../../support/host/planes/host-plane.ts'

const OBJECT = '--output=jsonpath={..involvedObject.name}'

const SPEC = { renew: true, apiServer: { goGc: 60 } }

// In their order: most of them are about one operator and one plane.
describeOnHost('an operator in a host cluster', { shuffle: false }, () => {
  let cli: HostCli
  let operator: string
  let namespace: string
  let at: string[]
  let plane: HostPlane

  /** Applies a ControlPlane as a GitOps tool does. */
  const apply = (name: string, spec: object, place = namespace) =>
    cli.host(['apply', '--server-side', '--field-manager=gitops', '--filename', '-'], {
      apiVersion: 'vplane.dev/v1beta1',
      kind: 'ControlPlane',
      metadata: { name, namespace: place },
      spec,
    })
  const untilReady = (name: string) =>
    cli.host(['wait', `vcp/${name}`, ...at, '--for=condition=Ready', '--timeout=300s'])
  const read = (name: string) => cli.hostJson(['get', 'vcp', name, ...at])
  const isGone = async (object: string) =>
    (await cli.host(['get', object, ...at, '--ignore-not-found'])) === ''
  const podsOf = async (name: string) => {
    const labels = ['--selector', `vplane.dev/name=${name}`]
    const { items } = await cli.hostJson(['get', 'pods', ...at, ...labels])
    const pods: Array<{ metadata: { uid: string; labels: Record<string, string> } }> = items
    return new Map(
      pods.map(({ metadata: { labels: found, uid } }) => [uid, found['vplane.dev/component']]),
    )
  }
  const keepers = () =>
    cli.host(['get', 'pods', ...at, '--selector', 'vplane.dev/shared=keeper', '--output=name'])
  const uninstall = () => cli.run(['operator', 'uninstall', '--namespace', operator, '--yes'])

  beforeAll(async () => {
    cli = await createHostCli()
    operator = await cli.makeNamespace(RESTRICTED)
    namespace = await cli.makeNamespace(RESTRICTED)
    at = ['--namespace', namespace]
    plane = new HostPlane(cli, namespace, 'dev')
  })
  afterAll(async () => {
    await uninstall()
    // Its namespace ends late, and other tests have planes of this name.
    await cli.run(['delete', 'dev', ...at, '--yes', '--ignore-not-found'])
    await cli[Symbol.asyncDispose]()
  })

  test('makes a plane of a ControlPlane, without a keeper', async () => {
    await cli.ok(['operator', 'install', '--namespace', operator])

    await apply('dev', SPEC)
    await untilReady('dev')

    const map = ['kubectl', 'create', 'configmap', 'kept', '--output=name']
    expect(await cli.ok(['connect', 'dev', ...at, '--', ...map])).toBe('configmap/kept\n')
    expect(await keepers()).toBe('')
    const shown = await cli.ok(['operator', 'status', '--namespace', operator, '--json'])
    const status: OperatorResult = JSON.parse(shown)
    expect(status).toMatchObject({
      scope: 'cluster',
      replicas: { wanted: 1, ready: 1 },
      controlPlanes: expect.arrayContaining([{ name: 'dev', namespace, ready: true }]),
    })
  })

  test('serves metrics of its planes, with their namespaces', async () => {
    const labels = ['--selector', 'app.kubernetes.io/name=vplane-operator', '--output=name']
    const pod = await cli.host(['get', 'pods', '--namespace', operator, ...labels])
    const path = `/api/v1/namespaces/${operator}/pods/${pod.trim().slice(4)}:10254/proxy/metrics`

    const sample = `vplane_kube_apiserver_ready{plane="dev",namespace="${namespace}"} 1`
    await expect.poll(() => cli.host(['get', '--raw', path]), { timeout: 60_000 }).toContain(sample)
  })

  test('writes a Secret with a credential, and deletes it with its entry', async () => {
    const credentials = { flux: { secret: 'dev-kubeconfig', user: 'flux', clusterRole: 'view' } }

    await apply('dev', { ...SPEC, credentials })
    const ready = ['--for=condition=CredentialsReady', '--timeout=60s']
    await cli.host(['wait', 'vcp/dev', ...at, ...ready])

    const { data } = await cli.hostJson(['get', 'secret', 'dev-kubeconfig', ...at])
    expect(Buffer.from(data.value, 'base64').toString()).toContain(
      `vplane-dev-api.${namespace}.svc`,
    )
    expect(await keepers()).toBe('')
    await apply('dev', SPEC)
    await untilReady('dev')
    await waitFor(async () => isGone('secret/dev-kubeconfig'), {
      what: 'the end of the Secret',
      timeoutMs: 60_000,
    })
  })

  test('changes nothing when the same ControlPlane is applied again', async () => {
    const before = await read('dev')

    await apply('dev', SPEC)

    expect((await read('dev')).metadata.generation).toBe(before.metadata.generation)
  })

  test('commands change the ControlPlane, but no field of others', async () => {
    const flag = await cli.run(['set', 'dev', ...at, 'apiServer.extraArgs.v=3', '--yes'])
    const taken = await cli.run(['set', 'dev', ...at, 'apiServer.goGc=90', '--yes'])

    expect(flag.code, flag.stderr).toBe(0)
    expect(taken.code).not.toBe(0)
    expect(taken.stderr).toContain('"gitops" manages .spec.apiServer.goGc')
    const { spec, status } = await read('dev')
    expect(spec.apiServer).toEqual({ goGc: 60, extraArgs: { v: '3' } })
    expect(status.resolved.apiServer).toMatchObject({ goGc: 60, extraArgs: { v: '3' } })

    await cli.ok(['set', 'dev', ...at, 'apiServer.extraArgs.v-', '--yes'])
    expect((await read('dev')).spec.apiServer).toEqual({ goGc: 60, extraArgs: {} })
  })

  test('pauses and resumes by the ControlPlane, and a paused plane has no pod', async () => {
    await cli.ok(['pause', 'dev', ...at, '--no-snapshot'])
    const paused = await read('dev')
    const pods = await podsOf('dev')
    await cli.ok(['resume', 'dev', ...at])

    expect(paused.spec.paused).toBe(true)
    expect(pods.size).toBe(0)
    await untilReady('dev')
    const map = ['kubectl', 'get', 'configmap', 'kept', '--output=name']
    expect(await cli.ok(['connect', 'dev', ...at, '--', ...map])).toBe('configmap/kept\n')
  })

  test('creates a paused plane without a pod, and starts it later', async () => {
    await apply('asleep', { paused: true })
    const paused = '--for=jsonpath={.status.conditions[?(@.type=="Ready")].reason}=Paused'
    await cli.host(['wait', 'vcp/asleep', ...at, paused, '--timeout=60s'])
    const created = ['--field-selector', 'reason=SuccessfulCreate', OBJECT]
    const started = await cli.host(['get', 'events', ...at, ...created])

    await apply('asleep', { paused: false })

    expect(started).not.toContain('vplane-asleep-')
    expect(started).toContain('vplane-dev-')
    await untilReady('asleep')
    await cli.host(['delete', 'vcp', 'asleep', ...at, '--timeout=180s'])
  })

  test('continues where it was when it is killed', async () => {
    await apply('killed', {})
    await waitFor(async () => (await podsOf('killed')).size > 0, {
      what: 'the first pod',
      timeoutMs: 60_000,
    })

    const now = ['--grace-period=0', '--force']
    await cli.host(['delete', 'pods', '--all', '--namespace', operator, ...now])

    await untilReady('killed')
  })

  test('adopts and releases a plane without a restart of its pods', async () => {
    await cli.ok(['create', 'own', ...at, '--set', 'renew=true'])
    const before = await podsOf('own')
    const kept = await keepers()

    await cli.ok(['adopt', 'own', ...at])
    await waitFor(async () => (await keepers()) === '', {
      what: 'the end of the keeper',
      timeoutMs: 60_000,
    })
    const adopted = await podsOf('own')
    await untilReady('own')
    await cli.ok(['release', 'own', ...at])

    expect(kept).not.toBe('')
    expect(before.size).toBeGreaterThan(0)
    expect([...adopted]).toEqual([...before])
    expect([...(await podsOf('own'))]).toEqual([...before])
    expect(await keepers()).not.toBe('')
    expect(await cli.host(['get', 'vcp', 'own', ...at, '--ignore-not-found'])).toBe('')
  })

  test('keeps a plane that is to be retained, and deletes others', async () => {
    await apply('killed', { deletionPolicy: 'Retain' })
    await cli.host(['delete', 'vcp', 'killed', ...at])
    await cli.ok(['delete', 'killed', ...at, '--yes'])

    expect((await podsOf('killed')).size).toBe(0)
    await cli.ok(['delete', 'own', ...at, '--yes'])
  })

  test('lets a namespace go with its planes, and tells the owner of the operator', async () => {
    const place = await cli.makeNamespace(RESTRICTED)
    await apply('lost', { deletionPolicy: 'Retain' }, place)
    const inPlace = ['vcp/lost', '--namespace', place]
    await cli.host(['wait', ...inPlace, '--for=condition=Ready', '--timeout=120s'])

    await cli.host(['delete', 'namespace', place, '--timeout=180s'])

    const reason = ['--field-selector', 'reason=DeletedWithNamespace', '--output=name']
    expect(await cli.host(['get', 'events', '--namespace', operator, ...reason])).not.toBe('')
  })

  test('is upgraded to this version, and keeps its settings', async () => {
    await cli.ok(['operator', 'install', '--namespace', operator, '--replicas', '2'])

    const words = ['operator', 'upgrade', '--namespace', operator, '--json']
    const upgraded: OperatorResult = JSON.parse(await cli.ok(words))

    expect(upgraded.replicas).toEqual({ wanted: 2, ready: 2 })
    expect(upgraded.leader).toMatch(/^vplane-operator-/)
  })

  test('is uninstalled without its planes, whose duties keepers do', async () => {
    const before = await podsOf('dev')

    await cli.ok(['operator', 'uninstall', '--namespace', operator, '--yes'])

    await plane.untilReady()
    const after = await podsOf('dev')
    expect([...after.keys()]).toEqual(expect.arrayContaining([...before.keys()]))
    expect(await keepers()).not.toBe('')
    const { metadata } = await read('dev')
    expect(metadata.finalizers ?? []).toEqual([])
    const left = ['get', 'deployments,configmaps,leases', '--namespace', operator, '--output=name']
    expect(await cli.host(left)).toBe('configmap/kube-root-ca.crt')
  })

  test('works in its own namespace alone, with no right outside of it', async () => {
    operator = namespace
    await cli.ok(['operator', 'install', ...at, '--scope', 'namespace'])

    await apply('scoped', {})
    await untilReady('scoped')
    await cli.host(['delete', 'vcp', 'scoped', ...at, '--timeout=180s'])

    expect((await podsOf('scoped')).size).toBe(0)
    const account = `system:serviceaccount:${namespace}:vplane-operator`
    const outside = ['get secrets', 'list pods', 'get nodes', 'create clusterroles']
    const flags = [`--as=${account}`, '--namespace=default']
    expect(await cli.granted(outside, flags)).toEqual([])
  })
})
