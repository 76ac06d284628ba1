import { afterAll, beforeAll, expect, test } from 'vitest'
import { createKubeClient } from '../../../src/kube/client/client.ts'
import { textAt } from '../../../src/shared/json-fields.ts'
import { describeOnHost } from '../../lab/describe-lab.ts'
import { NODE_IMAGE } from '../../lab/images/node-recipe.ts'
import { connectionIn, secretData } from '../../support/host/credential-secret.ts'
import { createHostCli, type HostCli } from '../../support/host/host-cli.ts'

/** A client in a pod, which has its kubeconfig and what that names from a mounted Secret. */
const CLIENT = `
const { readFileSync } = require('node:fs')
const file = (name) => readFileSync('/credential/' + name, 'utf8')
const [, server] = /server: "?([^"\\n]+)/.exec(file('kubeconfig'))
const options = { ca: file('ca.crt'), cert: file('tls.crt'), key: file('tls.key') }
const url = server + '/api/v1/namespaces/default'
require('node:https').get(url, { ...options, agent: false }, (response) => {
  process.stdout.write('status ' + response.statusCode)
  response.resume()
})
`

// In their order: all of them are about one plane.
describeOnHost('Secrets with credentials for a plane', { shuffle: false }, () => {
  let cli: HostCli
  let namespace: string
  let at: string[]
  /** An address of the API that this machine can reach. */
  let server: string

  beforeAll(async () => {
    cli = await createHostCli()
    namespace = await cli.makeNamespace()
    at = ['--namespace', namespace]
    await cli.ok(['create', 'dev', ...at, '--ephemeral'])
    ;({ server } = connectionIn(await cli.ok(['kubeconfig', 'dev', ...at, '--embed-credentials'])))
  })
  afterAll(() => cli[Symbol.asyncDispose]())

  const secretFlags = (secret: string, ...flags: string[]) =>
    ['kubeconfig', 'dev', ...at, '--yes', '--secret', secret].concat(flags)

  const bindings = () =>
    cli.ok([
      'connect',
      'dev',
      ...at,
      '--',
      'kubectl',
      'get',
      'clusterrolebindings',
      '--output=name',
    ])

  test('are there when the command ends, and again the second time', async () => {
    const flags = ['--user', 'flux', '--group', 'gitops', '--cluster-role', 'view', '--json']

    expect(JSON.parse(await cli.ok(secretFlags('flux', ...flags)))).toEqual({
      name: 'dev',
      secret: { name: 'flux', namespace },
      changed: true,
    })
    expect(JSON.parse(await cli.ok(secretFlags('flux', ...flags)))).toMatchObject({
      changed: false,
    })

    const connection = connectionIn(
      (await secretData(cli, { name: 'flux', namespace }))['value'] ?? '',
    )
    expect(connection.server).toBe(`https://vplane-dev-api.${namespace}.svc`)
    expect(await reviewOf({ ...connection, server })).toEqual(['flux', 'gitops'])
  })

  test('work as files in a pod', async () => {
    await cli.ok(
      secretFlags('mounted', '--secret-format', 'files', '--user', 'app', '--cluster-role', 'view'),
    )

    const volume = { name: 'credential', secret: { secretName: 'mounted' } }
    const container = {
      name: 'client',
      image: NODE_IMAGE,
      command: ['node', '-e', CLIENT],
      volumeMounts: [{ name: 'credential', mountPath: '/credential' }],
    }
    const spec = { restartPolicy: 'Never', containers: [container], volumes: [volume] }
    await cli.host(['create', '--filename', '-'], {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'client', namespace },
      spec,
    })
    await cli.host([
      'wait',
      'pod/client',
      ...at,
      '--for=jsonpath={.status.phase}=Succeeded',
      '--timeout=120s',
    ])
    expect(await cli.host(['logs', 'client', ...at])).toBe('status 200')
  })

  test('are written into another namespace once that permits it', async () => {
    const other = await cli.makeNamespace()
    const flags = [
      '--secret-format',
      'argocd',
      '--service-account',
      'default/argo',
      '--cluster-role',
      'view',
    ]
    const refused = await cli.run(secretFlags(`${other}/cluster`, ...flags))
    expect(refused.code).not.toBe(0)
    expect(refused.stderr).toContain('--print-grant')

    const grant = await cli.ok([
      'kubeconfig',
      'dev',
      ...at,
      '--secret',
      `${other}/cluster`,
      '--print-grant',
      '--json',
    ])
    await cli.host(['apply', '--filename', '-'], {
      apiVersion: 'v1',
      kind: 'List',
      items: JSON.parse(grant).grant,
    })
    await cli.ok(secretFlags(`${other}/cluster`, ...flags))

    const { config = '', name } = await secretData(cli, { name: 'cluster', namespace: other })
    expect(name).toBe('dev')
    const { bearerToken: token, tlsClientConfig } = JSON.parse(config)
    const certificateAuthority = Buffer.from(tlsClientConfig.caData, 'base64').toString()
    const [user] = await reviewOf({ server, certificateAuthority, token })
    expect(user).toBe('system:serviceaccount:default:argo')

    expect(await bindings()).toContain('vplane:credential:cluster')
    await cli.ok(['set', 'dev', ...at, 'credentials.cluster-', '--yes'])
    expect(await bindings()).not.toContain('vplane:credential:cluster')
    expect(await secretData(cli, { name: 'cluster', namespace: other })).toEqual({})
  })

  test('are repaired when someone deletes or changes them', async () => {
    const place = { name: 'flux', namespace }
    const before = (await secretData(cli, place))['value']

    await cli.host(['delete', 'secret', 'flux', ...at])
    await expect.poll(async () => (await secretData(cli, place))['value']).toContain('dev')
    const repaired = (await secretData(cli, place))['value']
    expect(repaired).not.toBe(before)

    await cli.host(['patch', 'secret', 'flux', ...at, '--patch', '{"stringData":{"value":"mine"}}'])
    await expect.poll(async () => (await secretData(cli, place))['value']).not.toBe('mine')
  })

  test('are not written over what someone else put there', async () => {
    await cli.host(['create', 'secret', 'generic', 'mine', ...at, '--from-literal=password=mine'])

    const refused = await cli.run(secretFlags('mine', '--user', 'flux'))

    expect(refused.code).not.toBe(0)
    expect(refused.stderr).toContain('content that vplane did not write')
    expect(await secretData(cli, { name: 'mine', namespace })).toEqual({ password: 'mine' })
  })

  test('are deleted with the plane, and nothing else is', async () => {
    await cli.ok(['delete', 'dev', ...at, '--yes'])

    const secrets = await cli.host(['get', 'secrets', ...at, '--output=name'])
    expect(secrets).toBe('secret/mine')
  })
})

/** As whom the plane knows someone: the user, and groups that are not of Kubernetes. */
async function reviewOf(connection: Parameters<typeof createKubeClient>[0]): Promise<string[]> {
  await using api = createKubeClient(connection)
  const review = await api.create('/apis/authentication.k8s.io/v1/selfsubjectreviews', {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'SelfSubjectReview',
    metadata: {},
  })
  const { groups = [] }: { groups?: string[] } = Object(Object(review['status']).userInfo)
  const user = textAt(review, 'status', 'userInfo', 'username') ?? ''
  return [user, ...groups.filter((group) => !group.startsWith('system:'))]
}
