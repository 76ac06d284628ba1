import { randomUUID } from 'node:crypto'
import type { PlaneApi } from '../../control-plane/api/plane-api.ts'
import type { ClientCredential, Identity } from '../../control-plane/plane/plane.ts'
import { createCertificateRequest } from '../../pki/issue/create-certificate-request.ts'
import { parseCertificates } from '../../pki/x509/pem.ts'
import type { KeyAlgorithm } from '../../pki/x509/sign-certificate.ts'
import { VplaneError } from '../../shared/errors.ts'
import { recordsAt, textAt } from '../../shared/json-fields.ts'
import { objectPath } from '../../shared/kube/collections.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import { waitFor } from '../../shared/wait.ts'

/** How long kube-controller-manager may take to sign, in milliseconds. */
const TIMEOUT_MS = 30_000

export interface SigningOptions {
  identity: Identity
  lifetimeMs: number
  algorithm: KeyAlgorithm
  signal: AbortSignal
}

/**
 * Has the plane sign a client certificate, as any of its users who may approve requests could: this needs no key of a CA.
 * @throws {VplaneError} `FAILED` when the plane refuses, `TIMED_OUT` when its controllers do not answer.
 */
export async function signCertificate(
  api: Pick<PlaneApi, 'create' | 'delete' | 'get' | 'patch'>,
  { algorithm, identity, lifetimeMs, signal }: SigningOptions,
): Promise<ClientCredential> {
  const { key, request } = createCertificateRequest({ ...identity, algorithm })
  const name = `vplane-${randomUUID()}`
  const path = objectPath('certificatesigningrequests', { name })
  await using _removed = { [Symbol.asyncDispose]: async () => void (await api.delete(path)) }
  await api.create(
    path.slice(0, path.lastIndexOf('/')),
    {
      apiVersion: 'certificates.k8s.io/v1',
      kind: 'CertificateSigningRequest',
      metadata: { name },
      spec: {
        request: Buffer.from(request).toString('base64'),
        signerName: 'kubernetes.io/kube-apiserver-client',
        usages: ['client auth', 'digital signature'],
        expirationSeconds: Math.round(lifetimeMs / 1000),
      },
    },
    { signal },
  )
  await api.patch(
    `${path}/approval`,
    { status: { conditions: [APPROVED] } },
    { type: 'merge', signal },
  )
  const certificate = await waitFor(
    async (deadline) => certificateIn(await api.get(path, { signal: deadline })),
    { what: 'a certificate from kube-controller-manager', timeoutMs: TIMEOUT_MS, signal },
  )
  const [{ validToDate: expiresAt }] = parseCertificates(certificate, 'a signed certificate')
  return { certificate, key, expiresAt }
}

const APPROVED = {
  type: 'Approved',
  status: 'True',
  reason: 'VplaneCredential',
  message: 'The spec of the control plane asks for it.',
}

function certificateIn(request: KubeObject | undefined): string | undefined {
  const refusal = recordsAt(request, 'status', 'conditions').find(({ type }) => type !== 'Approved')
  if (refusal !== undefined) {
    const message = `the control plane does not sign a certificate: ${String(refusal['message'])}`
    throw new VplaneError('FAILED', message)
  }
  const signed = textAt(request, 'status', 'certificate')
  return signed === undefined ? undefined : Buffer.from(signed, 'base64').toString()
}
