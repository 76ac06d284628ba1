import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { accessPathOf } from '../../../src/compose/access/access-path.ts'
import { noteQuickAnswer } from '../../../src/compose/access/note-quick-answer.ts'
import {
  KEPT_HOST_PLANE,
  type KeptHostPlane,
  keptHostPlane,
} from '../../support/host/planes/kept-host-plane.ts'

/** Elsewhere there is no /proc, and the launcher always asks. */
const isLinux = process.platform === 'linux'

test.skipIf(!isLinux)('names the process of the tunnel, and what would go wrong', async () => {
  await using kept = await keptHostPlane()
  await kept.openTunnel()

  await noteQuickAnswer(kept.paths, { plane: KEPT_HOST_PLANE, access: kept.access })

  const text = readFileSync(answerOf(kept), 'utf8')
  expect(text).toContain(`\n${process.pid}:`)
  expect(text).toContain(`\n${kept.folder.problem}\n`)
  expect(text).toContain(`\n${kept.access.server}\n`)
})

test('leaves no answer of a credential that another process has replaced', async () => {
  await using kept = await keptHostPlane()
  await kept.openTunnel()
  const access = { ...kept.access, certificate: 'of the former CA' }

  await noteQuickAnswer(kept.paths, { plane: KEPT_HOST_PLANE, access })

  expect(existsSync(answerOf(kept))).toBe(false)
})

test('leaves no answer where no tunnel was looked at, or the plane is reached another way', async () => {
  await using kept = await keptHostPlane()
  const access = { ...kept.access, server: 'https://plane.example.com' }

  await noteQuickAnswer(kept.paths, { plane: KEPT_HOST_PLANE, access: kept.access })
  await kept.openTunnel()
  await noteQuickAnswer(kept.paths, { plane: KEPT_HOST_PLANE, access })

  expect(existsSync(answerOf(kept))).toBe(false)
})

test('ignores an answer that cannot be written', async () => {
  await using kept = await keptHostPlane()
  await kept.openTunnel()
  const folder = dirname(answerOf(kept))
  rmSync(folder, { recursive: true })
  writeFileSync(folder, '')

  const noting = noteQuickAnswer(kept.paths, { plane: KEPT_HOST_PLANE, access: kept.access })

  await expect(noting).resolves.toBeUndefined()
})

test('leaves no answer for a local plane that does not run', async () => {
  await using kept = await keptHostPlane()
  const plane = { name: 'dev', driver: 'local' } as const

  await noteQuickAnswer(kept.paths, { plane, access: kept.access })

  expect(existsSync(`${accessPathOf(kept.paths.data, plane)}.answer`)).toBe(false)
})

function answerOf({ paths }: KeptHostPlane): string {
  return `${accessPathOf(paths.data, KEPT_HOST_PLANE)}.answer`
}
