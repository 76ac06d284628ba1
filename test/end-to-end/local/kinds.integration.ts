import { generateKeyPairSync } from 'node:crypto'
import forge from 'node-forge'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Cli, createCli } from '../../support/cli/cli.ts'
import {
  CLUSTER_SCOPED,
  NAMESPACED,
  objectsOf,
  SAMPLE_NAMESPACE,
} from '../../support/data/one-of-each-kind.ts'

interface Resource {
  kind: string
  name: string
  namespaced: boolean
  verbs: string[]
}

/**
 * kube-apiserver may lose sight of a CustomResourceDefinition that it deletes until its next resync, every five minutes:
 * crd_finalizer.go and apiserver.go of k8s.io/apiextensions-apiserver 0.36.3. One in 20 was there after three minutes.
 */
const DEFINITION_END = { timeout: 360_000, interval: 500 }

/** What discovery tells and nobody can keep: answers to questions, and what a pod is bound by. */
const NOT_STORED = new Set(['v1 Binding'])

describe('an object of every kind that a nodeless plane serves', () => {
  let cli: Cli

  beforeAll(async () => {
    cli = await createCli()
    await cli.ok(['create', 'kinds', '--ephemeral', '--connect'])
  })
  afterAll(() => cli[Symbol.asyncDispose]())

  test('is among the samples', async () => {
    const served = await servedTypes()

    expect(new Set(Object.keys(NAMESPACED))).toEqual(served.namespaced)
    expect(new Set(Object.keys(CLUSTER_SCOPED))).toEqual(served.cluster)
  })

  test('goes with its namespace, a pod on a node that nobody has too', async () => {
    const namespace = SAMPLE_NAMESPACE
    const spec = { nodeName: 'nowhere', containers: [{ name: 'main', image: 'example.com/main' }] }
    const stuck = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'stuck', namespace }, spec }
    await cli.kubectlOk(['create', 'namespace', namespace])
    await create([...objectsOf(NAMESPACED), stuck])

    await cli.kubectlOk(['delete', 'namespace', namespace, '--timeout=180s'])

    expect(await cli.kubectlOk(['get', 'namespace', namespace, '--ignore-not-found'])).toBe('')
  })

  test('can be deleted where it has no namespace', async () => {
    const objects = objectsOf(CLUSTER_SCOPED).map((object) =>
      object.kind === 'CertificateSigningRequest'
        ? { ...object, spec: { ...Object(object['spec']), request: certificateRequest() } }
        : object,
    )
    const created = await create(objects)
    await cli.kubectlOk(['delete', ...created, '--wait=false'])

    const left = () => cli.kubectlOk(['get', ...created, '--ignore-not-found', '--output=name'])
    await expect.poll(left, DEFINITION_END).toBe('')
  })

  /** Creates objects, and returns them as kubectl names them. */
  async function create(items: readonly object[]): Promise<string[]> {
    const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items })
    const names = await cli.kubectlOk(['create', '--filename=-', '--output=name'], { input })
    return names.trim().split('\n')
  }

  /** By discovery, in the version that each group prefers. */
  async function servedTypes(): Promise<Record<'namespaced' | 'cluster', Set<string>>> {
    const { groups }: { groups: Array<{ preferredVersion: { groupVersion: string } }> } =
      JSON.parse(await cli.kubectlOk(['get', '--raw=/apis']))
    const versions = groups.map(({ preferredVersion }) => preferredVersion.groupVersion)
    const types = { namespaced: new Set<string>(), cluster: new Set<string>() }
    for (const version of ['v1', ...versions]) {
      const path = version === 'v1' ? '/api/v1' : `/apis/${version}`
      const { resources }: { resources: Resource[] } = JSON.parse(
        await cli.kubectlOk(['get', `--raw=${path}`]),
      )
      for (const { kind, name, namespaced, verbs } of resources) {
        const isKept = ['create', 'delete'].every((verb) => verbs.includes(verb))
        if (isKept && !name.includes('/') && !NOT_STORED.has(`${version} ${kind}`)) {
          types[namespaced ? 'namespaced' : 'cluster'].add(`${version} ${kind}`)
        }
      }
    }
    return types
  }
})

function certificateRequest(): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const request = forge.pki.createCertificationRequest()
  const key = forge.pki.privateKeyFromPem(
    privateKey.export({ type: 'pkcs1', format: 'pem' }).toString(),
  )
  request.publicKey = forge.pki.setRsaPublicKey(key.n, key.e)
  request.setSubject([{ name: 'commonName', value: 'sample' }])
  request.sign(key, forge.md.sha256.create())
  return Buffer.from(forge.pki.certificationRequestToPem(request)).toString('base64')
}
