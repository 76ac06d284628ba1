import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeOnHost } from '../../lab/describe-lab.ts'
import { lostOf, PATIENT, startWriter } from '../../support/data/config-map-writer.ts'
import { createHostCli, type HostCli } from '../../support/host/host-cli.ts'
import { isTaken, newToken } from '../../support/data/service-account-token.ts'
import { servedCertificate } from '../../support/served-certificate.ts'

const TIMEOUT_MS = 900_000
const ALL = ['--stage', 'complete', '--yes']

describeOnHost('rotations in a host', { timeout: TIMEOUT_MS }, () => {
  let cli: HostCli
  let plane: string[]

  beforeAll(async () => {
    cli = await createHostCli()
    plane = ['rot', '--namespace', cli.newNamespace()]
  })
  afterAll(() => cli[Symbol.asyncDispose]())

  test('lose nothing, and let everybody in until the old CA goes', async () => {
    await cli.ok(['create', ...plane])
    await cli.ok(['connect', ...plane])
    const old = await newToken(cli)
    const patient = await startWriter(cli, undefined, PATIENT)
    expect(await checked('--within', '400d')).toEqual({ code: 7, hint: 'vplane certs rotate' })
    await renew()
    expect(await checked('--within', '4000d')).toEqual({ code: 7, hint: 'vplane certs rotate-ca' })
    expect(await checked('--within', '300d')).toEqual({ code: 0, hint: '' })
    expect((await patient.stop()).failures).toEqual([])
    const writer = await startWriter(cli)

    await cli.ok(['certs', 'rotate-service-account-key', ...plane, '--stage', 'switch', '--yes'])
    const isTakenYet = await isTaken(cli, old)
    await cli.ok(['certs', 'rotate-service-account-key', ...plane, '--yes'])
    const isTakenAfter = await isTaken(cli, old)
    const first = cli.start(['certs', 'rotate-ca', ...plane, '--stage', 'switch', '--yes'])
    await expect.poll(record, { timeout: 120_000 }).toMatch(/"step":"(?:Replacing|changing) /)
    await first.kill()
    await cli.ok(['certs', 'rotate-ca', ...plane, '--stage', 'switch', '--yes'])
    await cli.ok(['certs', 'rotate-ca', ...plane, '--yes'])
    await cli.ok(['certs', 'rotate-encryption-key', ...plane, ...ALL])

    const { longestGapMs, taken } = await writer.stop()
    expect([isTakenYet, isTakenAfter]).toEqual([true, false])
    expect(await lostOf(cli, plane, taken)).toEqual([])
    expect(longestGapMs).toBeLessThan(120_000)
    const { certificates }: { certificates: Array<{ name: string; subject: string }> } =
      await cli.json(['certs', 'check', ...plane, '--json'])
    expect(certificates.find(({ name }) => name === 'ca')?.subject).toBe('kubernetes-2')
    expect(await authorities()).not.toMatch(/next|rotation/)
  })

  /** Issues all leaves again, and returns when the API is served with one of them. */
  async function renew(): Promise<void> {
    const field = ['--output', 'jsonpath={.clusters[0].cluster.server}']
    const server = await cli.kubectlOk(['config', 'view', '--minify', ...field])
    const before = await servedCertificate(server)
    await cli.ok(['certs', 'rotate', ...plane, '--yes'])
    // A node brings Secrets to a pod within a minute, or when something else about the pod changes.
    const [, ...place] = plane
    await cli.host(['annotate', 'pods', '--all', 'vplane.test/looked-at=yes', ...place])
    await expect
      .poll(() => servedCertificate(server), { timeout: 180_000, interval: 500 })
      .not.toBe(before)
  }

  /** What `certs check` says without a name, of all planes in the host namespace. */
  async function checked(...flags: string[]): Promise<{ code: number | string; hint: string }> {
    const [, ...place] = plane
    const { code, stderr } = await cli.run(['certs', 'check', ...place, ...flags])
    const [hint = ''] = /vplane certs rotate\S*/.exec(stderr) ?? []
    return { code, hint }
  }

  /** What is written down of the plane. */
  async function record(): Promise<string> {
    const [name, ...place] = plane
    const output = ['--output', 'jsonpath={.data.record}']
    const text = await cli.host(['get', 'secret', `vplane-${name}-record`, ...place, ...output])
    return Buffer.from(text, 'base64').toString()
  }

  /** The names of the files beside the keys of the CAs. */
  async function authorities(): Promise<string> {
    const [name, ...place] = plane
    return cli.host(['describe', 'secret', `vplane-${name}-ca`, ...place])
  }
})
