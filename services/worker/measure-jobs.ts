import { Counter, Gauge, type Registry } from 'prom-client';
import type { RunningJob } from './run-job.ts';

export function measureJobs(registry: Registry, jobs: readonly RunningJob[]): void {
  const registers = [registry];
  const labelNames = ['name'] as const;
  new Gauge({
    name: 'tagtrail_job_running',
    help: '1 if this process has the turns of a job now. Of most jobs one process has them.',
    labelNames,
    registers,
    collect() {
      this.reset();
      for (const { name, figures } of jobs.filter((job) => !job.figures.isDone)) {
        this.set({ name }, Number(figures.isRunning));
      }
    },
  });
  new Counter({
    name: 'tagtrail_job_turns_total',
    help: 'Turns of a job that this process has completed.',
    labelNames,
    registers,
    collect() {
      this.reset();
      for (const { name, figures } of jobs) {
        this.inc({ name }, figures.turns);
      }
    },
  });
  new Counter({
    name: 'tagtrail_job_failures_total',
    help: 'Turns of a job that failed in this process, and failed attempts to begin it.',
    labelNames,
    registers,
    collect() {
      this.reset();
      for (const { name, figures } of jobs) {
        this.inc({ name }, figures.failures);
      }
    },
  });
}
