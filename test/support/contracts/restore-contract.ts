import { join } from 'node:path'
import { expect, test } from 'vitest'
import { verifiedSnapshot } from '../../../src/backup/verify-snapshot.ts'
import { writeStreamFile } from '../../../src/backup/streams/write-stream-file.ts'
import type { Driver } from '../../../src/control-plane/driver/driver.ts'
import type { Operation } from '../../../src/control-plane/driver/operation.ts'
import type { Plane } from '../../../src/control-plane/plane/plane.ts'
import { VplaneError } from '../../../src/shared/errors.ts'
import { temporaryFolder } from '../machine/temporary-folder.ts'
import { rejectionOf } from '../thrown-by.ts'

/** A plane that runs, and what is done to it. */
interface RestoreWorld {
  driver: Driver
  plane: Plane
  operation: () => Operation
  putConfigMap: (plane: Plane, name: string) => Promise<void>
  hasConfigMap: (plane: Plane, name: string) => Promise<boolean>
  waitForPlane: (plane: Plane, options: { isUnderWay: true }) => Promise<void>
}

/** The part of the contract of drivers that is about snapshots. */
export function describeRestore(worldOf: () => RestoreWorld): void {
  test('gets the programs that a restore needs, and touches nothing', async () => {
    const { driver, operation, plane } = worldOf()
    const look = async () => [await driver.find(plane.name), await driver.isRunning(plane)]
    const before = await look()

    await driver.tools?.ensure({ ...plane, forRestore: true }, operation())

    expect(await look()).toEqual(before)
  })

  test('continues from a snapshot, also after an interrupted restore', async () => {
    const { driver, hasConfigMap, operation, plane, putConfigMap, waitForPlane } = worldOf()
    await using folder = await temporaryFolder()
    const file = join(folder.path, 'plane.db')
    await putConfigMap(plane, 'before')
    const revision = await saveSnapshot(worldOf(), file)
    await putConfigMap(plane, 'after')
    const restore = (untilAnswers: () => Promise<void>, known = revision) => {
      const request = { file, from: file, revision: known, keepFormer: false, untilAnswers }
      return driver.restore(plane, request, operation())
    }
    const latestRevision = async () => {
      await using taken = await driver.snapshot(plane, operation().signal)
      return taken.revision
    }

    const death = new VplaneError('ABORTED', 'cut off')
    const cutOff = await rejectionOf(restore(() => Promise.reject(death)))
    const refusal = await rejectionOf(driver.start(plane, operation()))
    await restore(() => waitForPlane(plane, { isUnderWay: true }))
    const isThere = [await hasConfigMap(plane, 'before'), await hasConfigMap(plane, 'after')]
    await driver.start(plane, operation())
    const revisions = [revision, await latestRevision()]
    await restore(() => waitForPlane(plane, { isUnderWay: true }), 0)
    revisions.push(await latestRevision())

    expect(cutOff).toBe(death)
    expect(refusal.message).toContain(`a restore of "${plane.name}" was interrupted`)
    expect(refusal.hints[0]).toContain(` --force --from ${file}`)
    expect(isThere).toEqual([true, false])
    // Those of the last one too, though nobody knew how far the plane had come.
    expect(revisions).toEqual(revisions.toSorted((one, other) => one - other))
    expect(new Set(revisions).size).toBe(3)
  })
}

async function saveSnapshot(
  { driver, operation, plane }: Pick<RestoreWorld, 'driver' | 'operation' | 'plane'>,
  file: string,
): Promise<number> {
  await using data = await driver.snapshot(plane, operation().signal)
  await writeStreamFile(file, verifiedSnapshot(data.bytes, 'the snapshot'))
  return data.revision
}
