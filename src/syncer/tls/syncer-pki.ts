import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFile, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { CredentialSource } from '../../kube/connection.ts'
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

type Listener = (files: SyncerFiles) => void

export interface RenewalOptions {
  /** Told of every change. */
  onRenewed: () => void
  /** Told when files cannot be used: those of before count on. */
  onError: (error: unknown) => void
  /** How often the files are looked at, in milliseconds. @default 10_000 */
  everyMs?: number
}

/**
 * Who a syncer is and whom it trusts, at any time. Certificates live a year, and any command of vplane renews them in the
 * Secret in their last 90 days; the kubelet brings them to the pod a minute or two later.
 */
export class SyncerPki {
  readonly #folder: string
  readonly #listeners = new Set<Listener>()
  #files: SyncerFiles

  private constructor(folder: string, files: SyncerFiles) {
    this.#folder = folder
    this.#files = files
  }

  /** @throws {Error} when a file is missing, or a key is not that of its certificate. */
  static async open(folder: string): Promise<SyncerPki> {
    return new SyncerPki(folder, await readSyncerFiles(folder))
  }

  get current(): SyncerFiles {
    return this.#files
  }

  /** Calls the listener with what there is from now on, until the result is disposed. */
  onRenewed(listener: Listener): Disposable {
    this.#listeners.add(listener)
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) }
  }

  /** Whom the syncer is for the plane's kube-apiserver. */
  credentials(): CredentialSource {
    return {
      current: () => {
        const { authority: certificateAuthority, certificate, key } = this.#files
        return Promise.resolve({ certificateAuthority, certificate, key })
      },
      renew: async (refused) => {
        await this.look()
        return this.#files.certificate !== refused.certificate
      },
      denial: (refusal) => refusal,
    }
  }

  /**
   * Takes up what was renewed; tells whether anything was.
   *
   * @throws {Error} when what is there cannot be used.
   */
  async look(): Promise<boolean> {
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

  /** Takes up what is renewed until the signal fires. */
  async run(
    { everyMs = 10_000, onError, onRenewed }: RenewalOptions,
    signal: AbortSignal,
  ): Promise<void> {
    while (!signal.aborted) {
      await delay(everyMs, undefined, { signal, ref: false }).catch(() => {})
      try {
        if (!signal.aborted && (await this.look())) {
          onRenewed()
        }
      } catch (error) {
        onError(error)
      }
    }
  }
}

/**
 * Reads what the pod has now, all of one version.
 *
 * @throws {Error} when a file is missing, or a key is not that of its certificate.
 */
async function readSyncerFiles(folder: string): Promise<SyncerFiles> {
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
