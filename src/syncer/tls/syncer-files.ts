import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFile, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { hasErrorCode } from '../../shared/errors.ts'

/** The certificates and keys of a syncer, PEM. */
export interface SyncerFiles {
  authority: string
  /** The CA of the plane's kube-apiserver when it passes requests on. */
  frontProxyAuthority: string
  certificate: string
  key: string
  serverCertificate: string
  serverKey: string
}

/**
 * Reads what the pod has now, all of one version.
 *
 * @throws {Error} when a file is missing, or a key is not that of its certificate.
 */
export async function readSyncerFiles(folder: string): Promise<SyncerFiles> {
  const place = await versionOf(folder)
  const read = (name: string) => readFile(join(place, name), 'utf8')
  const [authority, frontProxyAuthority, certificate, key, serverCertificate, serverKey] =
    await Promise.all([
      read('syncer-ca.crt'),
      read('front-proxy-ca.crt'),
      read('syncer.crt'),
      read('syncer.key'),
      read('syncer-server.crt'),
      read('syncer-server.key'),
    ])
  checkPair('syncer.crt', certificate, key)
  checkPair('syncer-server.crt', serverCertificate, serverKey)
  return { authority, frontProxyAuthority, certificate, key, serverCertificate, serverKey }
}

/** A kubelet changes all files of a volume at once: `..data` leads to another folder then. */
async function versionOf(folder: string): Promise<string> {
  try {
    return await realpath(join(folder, '..data'))
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) {
      return folder
    }
    throw error
  }
}

function checkPair(name: string, certificate: string, key: string): void {
  if (!new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key))) {
    throw new Error(`the key of "${name}" is that of another certificate`)
  }
}
