import { rmSync } from 'node:fs'
import type { Access } from '../../control-plane/use-cases/access/access.ts'
import { dueAt } from '../../control-plane/use-cases/access/credential-lifetime.ts'
import type { ProcessRecord } from '../../shared/processes/launch/process-record.ts'
import { writeFile } from '../../shared/files/write-file.ts'

const FORMAT_VERSION = 1

/** The launcher lets a client use the credential for a minute, so it stops that long before the renewal is due. */
const MARGIN_SECONDS = 60

/** The answer that the launcher of the credential plugin may give without vplane, and its conditions. */
export interface QuickAnswer {
  access: Pick<Access, 'server' | 'certificate' | 'key' | 'expiresAt'>
  /** It applies as long as all of these processes run. */
  processes: ReadonlyArray<Pick<ProcessRecord, 'processId' | 'startTime' | 'bootId'>>
  /** It applies as long as this file does not exist. @default no such condition */
  unless?: string | undefined
}

/**
 * Writes the launcher's answer beside its access, readable by its owner alone: lines for a shell, because starting
 * Node.js takes ten times as long as all checks. When a condition no longer applies, the launcher runs vplane.
 */
export async function writeQuickAnswer(
  accessPath: string,
  { access, processes, unless = '' }: QuickAnswer,
): Promise<void> {
  const [{ bootId } = { bootId: '' }] = processes
  const lines = [
    String(FORMAT_VERSION),
    access.server,
    String(Math.floor(dueAt(access).getTime() / 1000) - MARGIN_SECONDS),
    bootId,
    processes.map(({ processId, startTime }) => `${processId}:${startTime}`).join(' '),
    unless,
    beginningOf(access),
  ]
  // A line break in a path would shift the lines that follow.
  if (lines.every((line) => !line.includes('\n')) && processes.length > 0) {
    await writeFile(quickAnswerPath(accessPath), `${lines.join('\n')}\n`)
  }
}

/** Removes the answer beside an access, if it exists. */
export function removeQuickAnswer(accessPath: string): void {
  rmSync(quickAnswerPath(accessPath), { force: true })
}

function quickAnswerPath(accessPath: string): string {
  return `${accessPath}.answer`
}

/** An ExecCredential without its last value, the time until which the client may use it. */
function beginningOf({ certificate, key }: QuickAnswer['access']): string {
  const text = JSON.stringify({
    apiVersion: 'client.authentication.k8s.io/v1',
    kind: 'ExecCredential',
    status: { clientCertificateData: certificate, clientKeyData: key, expirationTimestamp: '' },
  })
  return text.slice(0, text.lastIndexOf('"}}'))
}
