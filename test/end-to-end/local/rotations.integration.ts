import { readFileSync, writeFileSync } from 'node:fs'
import { json } from 'node:stream/consumers'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { localEtcd } from '../../../src/drivers/local/components/local-etcd.ts'
import { postToEtcd } from '../../../src/etcd/post-to-etcd.ts'
import { createAuthority } from '../../../src/pki/issue/create-authority.ts'
import { AUTHORITY_LIFETIME_MS } from '../../../src/pki/issue/lifetimes.ts'
import { processTableOf } from '../../../src/shared/processes/process-table-of.ts'
import { type Cli, createCli } from '../../support/cli/cli.ts'
import { startWriter } from '../../support/data/config-map-writer.ts'
import { newToken } from '../../support/data/service-account-token.ts'
import { servedCertificate } from '../../support/served-certificate.ts'

const DAY_MS = 24 * 3_600_000

// In their order: all of them rotate keys of one plane.
describe('rotations of a plane of this machine', { shuffle: false }, () => {
  let cli: Cli
  let oldKubeconfig: string

  beforeAll(async () => {
    cli = await createCli()
    const spec = join(cli.root, 'spec.yaml')
    const fields = [
      'encryption: {secrets: true, provider: aesgcm}',
      'etcd: {prefix: /planes/rot}',
      'serviceAccountIssuer: https://issuer.example.com/rot',
    ]
    writeFileSync(spec, `${fields.join('\n')}\n`)
    await cli.ok(['create', 'rot', '--driver', 'local', '--file', spec])
    await cli.ok(['connect', 'rot'])
    oldKubeconfig = join(cli.root, 'old.kubeconfig')
    writeFileSync(oldKubeconfig, await cli.ok(['kubeconfig', 'rot', '--embed-credentials']))
  })
  afterAll(() => cli[Symbol.asyncDispose]())

  test('renews certificates while everything runs, and the API shows its new one', async () => {
    const server = '--output=jsonpath={.clusters[0].cluster.server}'
    const url = await cli.kubectlOk(['config', 'view', '--minify', server])
    const [before, processes] = [await servedCertificate(url), cli.processes()]

    await cli.ok(['certs', 'rotate', 'rot', '--yes'])

    await expect.poll(() => servedCertificate(url), { timeout: 60_000 }).not.toBe(before)
    expect(await isFine(['--kubeconfig', oldKubeconfig])).toBe('')
    expect(cli.processes()).toEqual(processes)
  })

  test('a ServiceAccount token is valid until the key is completely rotated', async () => {
    const old = await newToken(cli)
    const rotate = ['certs', 'rotate-service-account-key', 'rot', '--yes']

    await cli.ok(rotate)
    const prepared = [await isTaken(old), await publicKeys()]
    await cli.ok(rotate)
    const switched = [await isTaken(old), await publicKeys()]
    const young = await newToken(cli)
    await cli.ok(rotate)

    expect(claimsOf(old)).toMatchObject({ iss: 'https://issuer.example.com/rot' })
    expect(prepared).toEqual([true, 2])
    expect(switched).toEqual([true, 2])
    expect([await isTaken(old), await isTaken(young), await publicKeys()]).toEqual([false, true, 1])
  })

  test('a kubeconfig works until the CAs are completely rotated, and the context of vplane works after that', async () => {
    const rotate = ['certs', 'rotate-ca', 'rot', '--json']
    const young = await newToken(cli)

    for (const [stage, next] of [
      ['prepare', 'switch'],
      ['switch', 'complete'],
    ]) {
      const said = await cli.json([...rotate, '--dry-run'])
      const done = await cli.json([...rotate, '--yes'])
      expect(said).toMatchObject({ changed: false, stages: [stage], next })
      expect(done).toMatchObject({ changed: true, stages: [stage], next })
      expect(await isFine([])).toBe('')
      expect(await isFine(['--kubeconfig', oldKubeconfig])).toBe('')
    }
    const { code, stderr } = await cli.run(['certs', 'rotate-ca', 'rot', '--yes'])

    expect(code, stderr).toBe(0)
    expect(stderr).toContain('kubeconfigs and client certificates from before the switch')
    expect(await isFine([])).toBe('')
    expect(await isFine(['--kubeconfig', oldKubeconfig])).toContain('certificate')
    expect(await isTaken(young)).toBe(true)
    const rootCa = await cli.kubectlOk(['get', 'configmap', 'kube-root-ca.crt', '--output', 'json'])
    expect(JSON.parse(rootCa).data['ca.crt'].match(/BEGIN/g)).toHaveLength(1)
    const told = ['get', 'configmap', 'extension-apiserver-authentication', '-n', 'kube-system']
    const { data } = JSON.parse(await cli.kubectlOk([...told, '--output', 'json']))
    expect(data['client-ca-file'].match(/BEGIN/g)).toHaveLength(2)
    expect(data['requestheader-client-ca-file'].match(/BEGIN/g)).toHaveLength(1)
  })

  test('a stage that was killed continues, and other rotations say so meanwhile', async () => {
    const before = new Set(cli.processes().map(({ id }) => id))
    const first = cli.start(['certs', 'rotate-ca', 'rot', '--stage', 'switch', '--yes'])
    const left = () => cli.processes().filter(({ id }) => before.has(id)).length
    await expect.poll(left, { timeout: 60_000, interval: 5 }).toBeLessThan(before.size)
    await first.kill()

    const other = await cli.run(['certs', 'rotate-service-account-key', 'rot', '--yes'])
    const second = await cli.ok(['certs', 'rotate-ca', 'rot', '--stage', 'switch', '--yes'])
    const alive = await isFine([])
    const third = await cli.ok(['certs', 'rotate-ca', 'rot', '--stage', 'switch', '--yes'])

    expect(other.code).toBe(7)
    expect(other.stderr).toContain('the rotation of the CAs of "rot" was interrupted')
    expect(second).toContain('the next stage is complete')
    expect(third).toBe('"rot" has completed that stage already; the next one is complete.\n')
    expect(alive).toBe('')
  })

  test('a writer waits for seconds at each stage, and loses nothing', async () => {
    const writer = await startWriter(cli, ['rot'])

    await cli.ok(['certs', 'rotate-ca', 'rot', '--stage', 'complete', '--yes'])

    const { longestGapMs, taken } = await writer.stop()
    const stored = await cli.kubectlOk(['get', 'configmaps', '--output', 'name'])
    expect(taken.filter((name) => !stored.includes(`configmap/${name}\n`))).toEqual([])
    expect(longestGapMs).toBeLessThan(60_000)
  })

  test('every Secret is encrypted with the new key before the old one is removed, also if two commands rotate it', async () => {
    const names = Array.from({ length: 30 }, (_, index) => `kept-${index}`)
    for (const name of names) {
      await cli.kubectlOk(['create', 'secret', 'generic', name, '--from-literal=word=open sesame'])
    }
    const rotate = ['certs', 'rotate-encryption-key', 'rot', '--yes']
    const stages = [await storedPrefixes()]

    for (const stage of ['prepare', 'switch']) {
      // The later one is refused, or finds that all is done.
      const twice = [1, 2].map(() => cli.run([...rotate, '--stage', stage]))
      const codes = (await Promise.all(twice)).map(({ code }) => code)
      expect(codes).toContain(0)
      expect([0, 7]).toEqual(expect.arrayContaining(codes))
      stages.push(await storedPrefixes())
    }
    await cli.ok(rotate)
    stages.push(await storedPrefixes())

    const [one, two] = ['k8s:enc:aesgcm:v1:key-1:', 'k8s:enc:aesgcm:v1:key-2:']
    expect(stages).toEqual([[one], [one], [one], [two]])
    const word = ['get', 'secret', 'kept-7', '--output', 'jsonpath={.data.word}']
    expect(Buffer.from(await cli.kubectlOk(word), 'base64').toString()).toBe('open sesame')
  })

  test('reports certificates of all planes before they expire, with the command that helps', async () => {
    const fine = await cli.run(['certs', 'check'])
    const leaves = await cli.run(['certs', 'check', '--within', '400d'])
    const authority = join(cli.plane('rot').pki, 'front-proxy-ca.crt')
    const now = new Date(Date.now() + 20.5 * DAY_MS - AUTHORITY_LIFETIME_MS)
    const ending = createAuthority({ commonName: 'ending', algorithm: 'ecdsa', now })
    writeFileSync(authority, readFileSync(authority, 'utf8') + ending.certificate)
    const list = await cli.run(['list'])
    const ends = await cli.run(['certs', 'check'])

    expect([fine.code, fine.stderr]).toEqual([0, ''])
    expect(leaves.code).toBe(7)
    expect(leaves.stderr).toContain('vplane certs rotate rot renews them')
    expect([list.code, list.stderr]).toEqual([
      0,
      expect.stringContaining('a certificate of "rot" expires in 20d: vplane certs check rot'),
    ])
    expect(ends.code).toBe(7)
    expect(ends.stderr).toContain('vplane certs rotate-ca rot replaces them')
  })

  /** What kubectl says against using a kubeconfig. */
  async function isFine(args: readonly string[]): Promise<string> {
    const { code, stderr } = await cli.kubectl([...args, 'get', 'namespaces'])
    return code === 0 ? '' : stderr
  }

  async function isTaken(bearer: string): Promise<boolean> {
    const view = JSON.parse(await cli.kubectlOk(['config', 'view', '--raw', '--output', 'json']))
    const [{ cluster }] = view.clusters
    const authority = join(cli.root, 'ca.crt')
    writeFileSync(authority, Buffer.from(cluster['certificate-authority-data'], 'base64'))
    const way = ['--server', cluster.server, '--certificate-authority', authority]
    const env = { KUBECONFIG: '/dev/null' }
    return (await cli.kubectl(['auth', 'whoami', '--token', bearer, ...way], { env })).code === 0
  }

  async function publicKeys(): Promise<number> {
    return JSON.parse(await cli.kubectlOk(['get', '--raw', '/openid/v1/jwks'])).keys.length
  }

  /** What the values of Secrets in etcd begin with. */
  async function storedPrefixes(): Promise<string[]> {
    const table = processTableOf(process.platform)
    const etcd = await localEtcd({ store: { folder: (name) => cli.plane(name) }, table }, 'rot')
    const base64 = (text: string) => Buffer.from(text).toString('base64')
    const body = { key: base64('/planes/rot/secrets/'), range_end: base64('/planes/rot/secrets0') }
    const { signal } = new AbortController()
    const found = Object(await json(await postToEtcd(etcd, { path: '/v3/kv/range', body, signal })))
    const values: Array<{ value: string }> = found.kvs
    expect(values.length).toBeGreaterThanOrEqual(30)
    const prefixes = values.map(({ value }) =>
      Buffer.from(value, 'base64').toString('latin1').split(':', 5).join(':').concat(':'),
    )
    return [...new Set(prefixes)]
  }
})

function claimsOf(bearer: string): unknown {
  const [, claims = ''] = bearer.split('.')
  return JSON.parse(Buffer.from(claims, 'base64url').toString())
}
