import { randomBytes } from 'node:crypto'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { configurationFiles } from '../../../control-plane/components/configuration-files.ts'
import {
  ENCRYPTION_FILE,
  encryptionConfiguration,
  encryptionKey,
} from '../../../control-plane/components/encryption-configuration.ts'
import { STORES, storeOf } from '../../../control-plane/store/store.ts'
import { createEtcdPki } from '../../../pki/plane/etcd-pki.ts'
import { createPlanePki } from '../../../pki/plane/plane-pki.ts'
import { apiServerSans } from '../../../pki/plane/server-sans.ts'
import type { PlaneFolder } from '../store/plane-folder.ts'
import type { PlaneRecord } from '../store/plane-record.ts'
import { localLayout } from './local-layout.ts'

/** Removes the files of an interrupted create, and writes the certificates that etcd needs to start. */
export async function writeEtcdPki(
  record: PlaneRecord,
  folder: PlaneFolder,
  now: Date,
): Promise<void> {
  await rm(folder.pki, { recursive: true, force: true })
  await removeData(folder)
  const { algorithm } = record.spec.pki
  const memberSans = ['localhost', '127.0.0.1', '::1']
  await writeFiles(folder.pki, createEtcdPki({ algorithm, now, memberSans }))
}

/** Removes the data of a plane that never had all of it. */
export async function removeData({ etcdData, sqliteData }: PlaneFolder): Promise<void> {
  await rm(etcdData, { recursive: true, force: true })
  await rm(sqliteData, { recursive: true, force: true })
}

/** Writes all other certificates and keys of a new plane, and the key for its Secrets. It uses those in `existing`. */
export async function writePlanePki(
  record: PlaneRecord,
  folder: PlaneFolder,
  { existing, now }: { now: Date; existing?: Readonly<Record<string, string>> },
): Promise<void> {
  const { encryption, pki } = record.spec
  const serverSans = apiServerSans(record.spec)
  const key = encryptionKey(randomBytes(32), encryption)
  await writeFiles(folder.pki, {
    ...(encryption?.secrets === true && { [ENCRYPTION_FILE]: encryptionConfiguration([key]) }),
    ...(await createPlanePki({ algorithm: pki.algorithm, now, serverSans, existing })),
  })
}

/** Writes the configuration files for the current record, and what its store needs to start. */
export async function writeConfiguration(record: PlaneRecord, folder: PlaneFolder): Promise<void> {
  const files = configurationFiles(record.spec, localLayout(record, folder))
  await writeFiles(folder.configuration, files)
  if (storeOf(record.spec) === STORES.sqlite) {
    await mkdir(folder.sqliteData, { recursive: true, mode: 0o700 })
    // sqlite creates its file for everyone to read; its other files get the mode of this one.
    await writeFile(folder.sqliteFile, '', { flag: 'a', mode: 0o600 })
  }
}

async function writeFiles(folder: string, files: Record<string, string>): Promise<void> {
  const paths = Object.keys(files).map((name) => join(folder, name))
  for (const parent of new Set(paths.map((path) => dirname(path)))) {
    await mkdir(parent, { recursive: true, mode: 0o700 })
  }
  await Promise.all(
    Object.entries(files).map(([name, text]) =>
      writeFile(join(folder, name), text, { mode: 0o600 }),
    ),
  )
}
