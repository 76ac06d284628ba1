import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import Create from '../../src/commands/create.ts'
import Render from '../../src/commands/render.ts'
import { VplaneError } from '../../src/shared/errors.ts'
import { parseYamlDocuments } from '../../src/shared/yaml/yaml.ts'
import { runCommandClass } from '../cli/run-command-class.ts'
import { homeForEachTest } from '../cli/temporary-home.ts'
import { type FakeApiServer, startFakeApiServer } from '../support/api/fake-api-server.ts'

const HOSTED = ['dev', '--driver', 'kubernetes', '--namespace', 'team']
const LOCAL = ['dev', '--driver', 'local', '--dry-run']

const home = homeForEachTest()
/** A host cluster that has nothing. */
let host: FakeApiServer

beforeEach(async () => {
  host = await startFakeApiServer((_, response) => {
    response.writeHead(404, { 'Content-Type': 'application/json' })
    response.end('{ "kind": "Status", "status": "Failure", "reason": "NotFound", "code": 404 }')
  })
  home.write('kubeconfig', kubeconfigOf(host))
})

afterEach(() => host[Symbol.asyncDispose]())

test('says what a create on this machine would create, and creates nothing', async () => {
  const { error, stdout } = await runCommandClass(Create, [...LOCAL, '--renew'])

  expect(error).toBeUndefined()
  expect(stdout).toMatch(/^Would create "dev":\n {2}Driver: +local\n {2}Version: +Kubernetes 1\.36/)
  expect(stdout).toContain('etcd, kube-apiserver, kube-controller-manager, keeper\n')
  expect(existsSync(join(home.root, 'data'))).toBe(false)
  expect(host.requests).toEqual([])
})

test('says what a create in a host cluster would create, and only reads there', async () => {
  const { error, result, stdout } = await runCommandClass(Create, [...HOSTED, '--dry-run'])

  expect(error).toBeUndefined()
  expect(stdout).toContain('  Host:       work\n  Namespace:  team, created if it is missing\n')
  expect(stdout).toMatch(/^ {4}Deployment +vplane-dev-kube-apiserver, vplane-dev-kube-/m)
  expect(result).toMatchObject({ namespace: 'team', hostContext: 'work', created: false })
  expect(result?.plan?.objects).toContainEqual({ kind: 'Secret', name: 'vplane-dev-ca' })
  expect(new Set(host.requests.map(({ method }) => method))).toEqual(new Set(['GET']))
})

test('prints what render prints', async () => {
  const rendered = await runCommandClass(Render, ['dev', '--namespace', 'team'])
  const yaml = await runCommandClass(Create, [...HOSTED, '--dry-run', '--output', 'yaml'])
  const json = await runCommandClass(Create, [...HOSTED, '--dry-run', '-o', 'json'])

  expect(rendered.stdout).toContain('vplane-dev-kube-apiserver')
  expect(yaml.stdout).toBe(rendered.stdout)
  expect(JSON.parse(json.stdout)).toEqual({
    apiVersion: 'v1',
    kind: 'List',
    items: parseYamlDocuments(rendered.stdout, 'the output'),
  })
  expect(json.stderr).toContain('Secrets with keys are left out: vplane-dev-')
})

test.for([
  [['dev', '-o', 'yaml'], '--output prints what would be created: it needs --dry-run'],
  [['dev', '--dry-run', '-o', 'wide'], '--output: "wide" is not one of yaml, json'],
  [[...LOCAL, '--label', 'team'], '--label: "team" is not of the form NAME=VALUE'],
  [['dev', '--paused', '--crd', 'x'], '--crd=x cannot also be provided when using --paused'],
  [['dev', '--paused', '--connect'], '--connect needs a single plane that runs'],
  [['dev', '--count', '2', '--connect'], '--connect needs a single plane that runs'],
  [
    ['dev', '--count', '2', '--dry-run'],
    '--dry-run=true cannot also be provided when using --count',
  ],
  [[...LOCAL, '-o', 'yaml'], 'a plane of the driver "local" has no objects to print'],
] as const)('refuses %j', async ([argv, message]) => {
  const { error, stdout } = await runCommandClass(Create, argv)

  expect.assert(error instanceof VplaneError)
  expect(error).toMatchObject({ code: 'USAGE', message })
  expect(stdout).toBe('')
})

function kubeconfigOf({ connection }: FakeApiServer): string {
  const { certificate, certificateAuthority, key, server } = connection
  const encoded = (text: string) => Buffer.from(text).toString('base64')
  const cluster = { server, 'certificate-authority-data': encoded(certificateAuthority) }
  const user = {
    'client-certificate-data': encoded(certificate),
    'client-key-data': encoded(key),
  }
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'work',
    clusters: [{ name: 'work', cluster }],
    users: [{ name: 'work', user }],
    contexts: [{ name: 'work', context: { cluster: 'work', user: 'work' } }],
  })
}
