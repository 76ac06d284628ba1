import { withoutTraces } from '../../../shared/text/without-traces.ts'
import { lastLines } from './read-log.ts'

/** A panic of a component comes with a few dozen lines of trace. */
const READ_LINES = 200

/** The last lines of a component's log that say something. */
export async function lastWords(path: string, count: number): Promise<string[]> {
  return withoutTraces(await lastLines(path, READ_LINES)).slice(-count)
}
