import { Cron } from 'croner'

/** What a schedule may be in one word, and the times that it stands for. */
const WORDS: Record<string, string> = {
  hourly: '0 * * * *',
  daily: '0 0 * * *',
  weekly: '0 0 * * 0',
}

/**
 * Tells whether a text is a schedule that comes round: `hourly`, `daily`, `weekly`, or cron with five fields, or six with
 * seconds in front.
 */
export function isSchedule(text: string): boolean {
  try {
    return cronOf(text).nextRun() !== null
  } catch {
    // What croner cannot read is no schedule: what it says names none of our words.
    return false
  }
}

/**
 * The first time of a schedule after a moment, in UTC.
 *
 * @throws {Error} when it is no schedule.
 */
export function nextTime(schedule: string, after: Date): Date {
  const time = cronOf(schedule).nextRun(after)
  if (time === null) {
    throw new Error(`the schedule "${schedule}" never comes round`)
  }
  return time
}

function cronOf(schedule: string): Cron {
  const pattern = WORDS[schedule] ?? schedule
  const fields = pattern.trim().split(/\s+/).length
  if (fields !== 5 && fields !== 6) {
    throw new Error(`the schedule "${schedule}" has neither five fields nor six`)
  }
  return new Cron(pattern, { timezone: 'UTC', paused: true })
}
