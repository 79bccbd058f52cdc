-- Tokens and keys that were scanned, or sent, were kept as if they were tags. They are no longer; those that were kept
-- go. The shape is that of services/shared/tracking/tag-secrets.ts; 43 characters is how long a secret is, so that a
-- payload stays as long as it was and can be replayed.
delete from unknown_tags where value ~* 't[th]_[0-9a-z]{1,26}_[[:alnum:]_-]{20,}';

update rejected_messages set
  reason = regexp_replace(reason, '(t[th]_[0-9a-z]{1,26}_)[[:alnum:]_-]{20,}', '\1' || repeat('*', 43), 'gi'),
  topic = regexp_replace(topic, '(t[th]_[0-9a-z]{1,26}_)[[:alnum:]_-]{20,}', '\1' || repeat('*', 43), 'gi'),
  payload = decode(regexp_replace(encode(payload, 'escape'),
    '(t[th]_[0-9a-z]{1,26}_)[[:alnum:]_-]{20,}', '\1' || repeat('*', 43), 'gi'), 'escape')
where reason ~* 't[th]_[0-9a-z]{1,26}_[[:alnum:]_-]{20,}'
  or topic ~* 't[th]_[0-9a-z]{1,26}_[[:alnum:]_-]{20,}'
  or encode(payload, 'escape') ~* 't[th]_[0-9a-z]{1,26}_[[:alnum:]_-]{20,}';

update submissions set
  answer = regexp_replace(answer::text, '(t[th]_[0-9a-z]{1,26}_)[[:alnum:]_-]{20,}', '\1' || repeat('*', 43), 'gi')::json
where answer::text ~* 't[th]_[0-9a-z]{1,26}_[[:alnum:]_-]{20,}';
