import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { PlaneCertificate } from '../../control-plane/driver/plane-certificates.ts'
import { listCertificates } from '../../pki/plane/list-certificates.ts'

/**
 * Reads the certificates in the volume of a Secret, all of one version.
 *
 * @throws {VplaneError} `FAILED` when one cannot be read.
 */
export async function readCertificates(volume: string): Promise<PlaneCertificate[]> {
  // The kubelet replaces this folder in one step (k8s.io/kubernetes/pkg/volume/util, `AtomicWriter`).
  const folder = join(volume, '..data')
  const names = await readdir(folder, { recursive: true })
  const files = await Promise.all(
    names
      .filter((name) => name.endsWith('.crt'))
      .map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const),
  )
  return listCertificates(Object.fromEntries(files))
}
