/** The longer questions of a reconciliation, as SQL. */

/** Transfers, each with its row in the settlement log, what its transaction shows of a refund, and the transaction. */
export const TRANSFERS = `
  select b.place::text, b.transfer_id as "transferId", b.kind, b.account_id as "accountId", b.network, b.hash, b.coin, b.asset,
    b.decimals, b.payer, b.payee, b.amount::text, b.at, b.mined_at as "minedAt", b.test, b.gone, b.signed, b.matched,
    b.moved_to is not null as "isMoved", b.challenge_id as "challengeId",
    s.status as "rowStatus", s.paid::text as "rowAmount", s.hash as "rowHash", s.asset as "rowAsset",
    case
      when h.state in ('sent', 'lost') then h.state
      when b.kind = 'payment' or t.coin_refund is null then null
      when exists (select from json_array_elements_text(t.coin_refund->'transfers') sent where sent = b.transfer_id) then 'sent'
      when exists (
        select from json_array_elements(t.coin_refund->'lost') lost
        where lost->>'id' = b.transfer_id and lost->>'gone' = 'true') then 'lost'
    end as "refundState",
    coalesce(h.returned::text, t.coin_refund->>'sent') as "refundSent",
    case when b.kind = 'refund' then (
      select sum(o.amount)::text from booked_transfers o
      where o.kind = 'refund' and o.transaction_id = b.transaction_id and not o.gone and o.transfer_id <> b.transfer_id)
    end as "refundOthers",
    t.transaction_id as "txId", t.edits as "txEdits", t.facts as "txFacts", t.edited_at as "txEditedAt",
    case when t.transaction_id is not null then json_build_object('status', t.status, 'hash', t.hash, 'amount', t.amount,
      'amount_fiat', t.amount_fiat, 'cryptocurrency', t.cryptocurrency, 'payer', t.payer, 'test', t.test) end as "txShown"
  from booked_transfers b
  left join settlements s on b.kind = 'payment' and s.transfer_id = b.transfer_id
  left join handled_transfers h on b.kind = 'refund' and h.back_id = b.transfer_id
  left join lateral (
    select * from transactions where transaction_id = coalesce(b.transaction_id, s.transaction_id)
    union all
    select * from transactions
    where coalesce(b.transaction_id, s.transaction_id) is null and challenge_id = b.challenge_id
    limit 1
  ) t on true`

/**
 * What the events of transfers, by their places, move on the receipts of whose books. A signature that was carried out
 * anew has its money under the transaction that had carried it out before; each step back is looked up by its key,
 * because a join would read all transfers for every page.
 */
export const JOURNAL_SUMS = `
  with recursive named(place, kind, id, before) as (
    select place, kind, transfer_id, moved_from from booked_transfers where place = any($1::bigint[]) and moved_to is null
    union
    select n.place, n.kind, n.before, b.moved_from from named n
    left join lateral (
      select moved_from from booked_transfers where transfer_id = n.before and kind = n.kind limit 1) b on true
    where n.before is not null
  )
  select n.place::text, p.view, p.asset, sum(p.amount)::text as amount
  from named n
  cross join lateral (
    select position, view, other_view from transfer_events where transfer_id = n.id and kind = n.kind offset 0) e
  cross join lateral (
    select view, asset, amount from book_postings
    where position = e.position and account = 'assets:receipts' and view in (e.view, e.other_view) offset 0) p
  group by n.place, p.view, p.asset`
