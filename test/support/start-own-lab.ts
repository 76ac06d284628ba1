import { type Lab, type LabOptions, startLab } from '../lab/lab.ts'
import { busyMachine } from './busy-machine.ts'

/**
 * Starts a host cluster for one test or file alone. That keeps the disks so busy that etcd of planes beside it may wait for
 * seconds: tests that count on quick answers have their turn before or after it.
 */
export async function startOwnLab(options: Omit<LabOptions, 'isOwn'> = {}): Promise<Lab> {
  await using _turn = await busyMachine()
  return await startLab({ ...options, isOwn: true })
}
