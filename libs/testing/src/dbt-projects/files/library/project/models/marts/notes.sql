select 1 as note_no, 1 as loan_id
