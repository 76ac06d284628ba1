import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFile, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { CredentialSource } from '../../kube/connection.ts'
import { hasErrorCode } from '../../shared/errors.ts'
import type { ServerTls, TlsServer } from './serve-tls.ts'

export interface SyncerFiles {
  authority: string
  /** The CA of the plane's kube-apiserver when it forwards requests to an aggregated API. */
  frontProxyAuthority: string
  certificate: string
  key: string
  serverCertificate: string
  serverKey: string
}

type Listener = (files: SyncerFiles) => void

export interface RenewalOptions {
  onRenewed: () => void
  /** Called when new files are invalid: the syncer continues with the earlier ones. */
  onError: (error: unknown) => void
  /** How often the files are read, in milliseconds. @default 10_000 */
  everyMs?: number
}

/**
 * The current certificates and keys of a syncer. Certificates are valid for a year. In their last 90 days any command of
 * vplane renews them in the Secret, and the kubelet updates the pod's files a minute or two later.
 */
export class SyncerPki {
  readonly #folder: string
  readonly #listeners = new Set<Listener>()
  #files: SyncerFiles

  private constructor(folder: string, files: SyncerFiles) {
    this.#folder = folder
    this.#files = files
  }

  /** @throws {Error} when a file is missing, or a key does not match its certificate. */
  static async open(folder: string): Promise<SyncerPki> {
    return new SyncerPki(folder, await readSyncerFiles(folder))
  }

  get current(): SyncerFiles {
    return this.#files
  }

  /** Calls the listener after each renewal, until the result is disposed. */
  onRenewed(listener: Listener): Disposable {
    this.#listeners.add(listener)
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) }
  }

  credentials(): CredentialSource {
    return {
      current: () => {
        const { authority: certificateAuthority, certificate, key } = this.#files
        return Promise.resolve({ certificateAuthority, certificate, key })
      },
      renew: async (refused) => {
        await this.refresh()
        return this.#files.certificate !== refused.certificate
      },
      denial: (refusal) => refusal,
    }
  }

  /** Returns whether files changed. @throws {Error} when one is missing, or a key does not match its certificate. */
  async refresh(): Promise<boolean> {
    const files = await readSyncerFiles(this.#folder)
    if (isDeepStrictEqual(files, this.#files)) {
      return false
    }
    this.#files = files
    for (const listener of this.#listeners) {
      listener(files)
    }
    return true
  }

  /** Reads the files periodically until the signal fires. */
  async run(
    { everyMs = 10_000, onError, onRenewed }: RenewalOptions,
    signal: AbortSignal,
  ): Promise<void> {
    while (!signal.aborted) {
      await delay(everyMs, undefined, { signal, ref: false }).catch(() => {})
      try {
        if (!signal.aborted && (await this.refresh())) {
          onRenewed()
        }
      } catch (error) {
        onError(error)
      }
    }
  }
}

/** Serves with current certificates, for clients whose certificates this CA has issued. */
export async function serveRenewed(
  pki: SyncerPki,
  clients: 'authority' | 'frontProxyAuthority',
  serve: (tls: ServerTls) => Promise<Omit<TlsServer, 'port'>>,
): Promise<AsyncDisposable> {
  const tlsOf = (files: SyncerFiles): ServerTls => ({
    certificate: files.serverCertificate,
    key: files.serverKey,
    authorities: files[clients],
  })
  const before = pki.current
  await using served = new AsyncDisposableStack()
  const server = served.use(await serve(tlsOf(before)))
  served.use(pki.onRenewed((files) => server.setTls(tlsOf(files))))
  // They may have been renewed before the listener was added.
  if (pki.current !== before) {
    server.setTls(tlsOf(pki.current))
  }
  return served.move()
}

async function readSyncerFiles(folder: string): Promise<SyncerFiles> {
  const version = await versionOf(folder)
  const read = (name: string) => readFile(join(version, name), 'utf8')
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

/** A kubelet updates all files of a volume at once: it points `..data` to another folder. */
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
    throw new Error(`the key of "${name}" does not match the certificate`)
  }
}
