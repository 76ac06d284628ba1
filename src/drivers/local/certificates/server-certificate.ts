import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createApiServerFiles } from '../../../pki/plane/plane-pki.ts'
import { apiServerSans, hasExactSans } from '../../../pki/plane/server-sans.ts'
import { writeFile } from '../../../shared/files/write-file.ts'
import type { PlaneFolder } from '../store/plane-folder.ts'
import type { PlaneRecord } from '../store/plane-record.ts'

/** Whether the certificate of a plane's API has the names that its record needs. */
export async function isServerNamed({ spec }: PlaneRecord, { pki }: PlaneFolder): Promise<boolean> {
  return hasExactSans(await readFile(join(pki, 'apiserver.crt'), 'utf8'), apiServerSans(spec))
}

/** Issues the certificate of a plane's API again. A running kube-apiserver reloads it by itself. */
export async function writeServerCertificate(
  { spec }: PlaneRecord,
  { pki }: PlaneFolder,
  now: Date,
): Promise<void> {
  const read = (name: string) => readFile(join(pki, name), 'utf8')
  const authority = { certificate: await read('ca.crt'), key: await read('ca.key') }
  const issuer = { authority, algorithm: spec.pki.algorithm, now }
  const files = createApiServerFiles(apiServerSans(spec), issuer, await read('apiserver.crt'))
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(pki, name), text)
  }
}
